package desired

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
)

// Annotations on a member's claim. They live as long as the data.
const (
	// VersionAnnotation is the spec.version under which the data was last
	// served: a Database that finds a kept claim compares it with its own.
	VersionAnnotation = "example.com/version"
	// PostedAnnotation is the sequence of the member's last transition that
	// was posted as an Event. It moves only when there was one.
	PostedAnnotation = "example.com/posted"
	// ClusterAnnotation is the identity of the data, once a member has led with
	// it. A claim without it holds nothing that anybody was told was safe.
	ClusterAnnotation = "example.com/cluster-uid"
)

// Kept is what a claim remembers with its data; what is empty is left out.
type Kept struct {
	Version, Posted, Cluster string
}

// Claim is what the operator sets on a claim that the StatefulSet made. It has
// no owner, so that the data outlives the Database.
func (in Input) Claim(ordinal int, size resource.Quantity, kept Kept) *coreac.PersistentVolumeClaimApplyConfiguration {
	claim := coreac.PersistentVolumeClaim(in.names().Claim(ordinal), in.Database.Namespace).
		WithSpec(coreac.PersistentVolumeClaimSpec().
			WithResources(coreac.VolumeResourceRequirements().
				WithRequests(corev1.ResourceList{corev1.ResourceStorage: size})))
	for key, value := range map[string]string{
		VersionAnnotation: kept.Version, PostedAnnotation: kept.Posted, ClusterAnnotation: kept.Cluster,
	} {
		if value != "" {
			claim.WithAnnotations(map[string]string{key: value})
		}
	}
	return claim
}
