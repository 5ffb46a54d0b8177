package desired

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	"github.com/myuser/db-operator/internal/pod"
)

// revisions that the StatefulSet keeps, for people who compare.
const revisions = 3

// StatefulSet of the members. All start at once and none is restarted by
// Kubernetes: the operator orders restarts by deleting pods. Claims outlive
// it. It fails only where spec.scheduling.affinity is not what a pod accepts.
//
// Pass the result through KeepTemplate before it is applied to one that exists.
func (in Input) StatefulSet() (*appsac.StatefulSetApplyConfiguration, error) {
	template, err := in.podTemplate()
	if err != nil {
		return nil, err
	}
	name := in.names().StatefulSet()
	return appsac.StatefulSet(name, in.Database.Namespace).
		WithLabels(in.Labels()).
		WithAnnotations(map[string]string{
			inputsAnnotation: in.templateInputs(),
			builtAnnotation:  hash(template),
		}).
		WithOwnerReferences(in.owner()).
		WithSpec(appsac.StatefulSetSpec().
			WithReplicas(Members).
			WithServiceName(in.names().Members()).
			WithPodManagementPolicy(appsv1.ParallelPodManagement).
			WithUpdateStrategy(appsac.StatefulSetUpdateStrategy().WithType(appsv1.OnDeleteStatefulSetStrategyType)).
			WithRevisionHistoryLimit(revisions).
			WithPersistentVolumeClaimRetentionPolicy(appsac.StatefulSetPersistentVolumeClaimRetentionPolicy().
				WithWhenDeleted(appsv1.RetainPersistentVolumeClaimRetentionPolicyType).
				WithWhenScaled(appsv1.RetainPersistentVolumeClaimRetentionPolicyType)).
			WithSelector(metaac.LabelSelector().WithMatchLabels(in.Selector())).
			WithVolumeClaimTemplates(in.claimTemplate()).
			WithTemplate(template)), nil
}

// claimTemplate makes claims with our labels: by EngineLabel a Database that
// finds kept claims knows whose data they hold.
func (in Input) claimTemplate() *coreac.PersistentVolumeClaimApplyConfiguration {
	spec := in.Database.Spec
	claim := coreac.PersistentVolumeClaimSpec().
		WithAccessModes(corev1.ReadWriteOnce).
		WithVolumeMode(corev1.PersistentVolumeFilesystem).
		WithResources(coreac.VolumeResourceRequirements().
			WithRequests(corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(spec.Storage)}))
	if spec.StorageClassName != nil {
		claim.WithStorageClassName(*spec.StorageClassName)
	}
	return coreac.PersistentVolumeClaim(pod.DataVolume, "").WithLabels(in.Labels()).WithSpec(claim)
}

// EngineImage is what the members run when they next start.
func (in Input) EngineImage() string {
	if in.Database.Spec.Image != "" {
		return in.Database.Spec.Image
	}
	return fmt.Sprintf("%s/%s", in.Settings.Registry, in.Profile.Image(in.Database.Spec.Version))
}
