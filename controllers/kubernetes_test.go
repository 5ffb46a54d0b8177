//go:build apiserver

package controllers

import (
	"encoding/json"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pod"
)

// run does what Kubernetes' own controllers, a node and the agent would: it
// makes the claim and the pod of member 0 from the StatefulSet, and has the
// agent say that it serves.
func (w *world) run(db *dbv1.Database) *corev1.Pod {
	w.Helper()
	set := &appsv1.StatefulSet{}
	w.get(db.Name, set)
	w.bind(w.provision(set))
	revision := "revision-of-" + set.Spec.Template.Spec.InitContainers[0].Image[len(set.Spec.Template.Spec.InitContainers[0].Image)-1:]
	w.observed(set, revision)
	member := w.schedule(set, revision)
	w.editStatus(member, func() {
		member.Status.Phase = corev1.PodRunning
		member.Status.PodIP = "10.0.0.1"
		member.Status.PodIPs = []corev1.PodIP{{IP: "10.0.0.1"}}
		member.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	})
	w.serve(db)
	return member
}

// observed is what the StatefulSet's controller says when it has looked.
func (w *world) observed(set *appsv1.StatefulSet, revision string) {
	w.Helper()
	w.editStatus(set, func() {
		set.Status.ObservedGeneration = set.Generation
		set.Status.UpdateRevision = revision
		set.Status.Replicas = 1
	})
}

func (w *world) provision(set *appsv1.StatefulSet) *corev1.PersistentVolumeClaim {
	w.Helper()
	template := set.Spec.VolumeClaimTemplates[0]
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: set.Namespace, Name: template.Name + "-" + set.Name + "-0", Labels: template.Labels},
		Spec:       template.Spec,
	}
	w.create(claim)
	return claim
}

func (w *world) bind(claim *corev1.PersistentVolumeClaim) {
	w.Helper()
	w.edit(claim, func() { claim.Spec.VolumeName = "pv-" + claim.Name })
	w.editStatus(claim, func() {
		claim.Status.Phase = corev1.ClaimBound
		claim.Status.Capacity = claim.Spec.Resources.Requests
	})
}

func (w *world) schedule(set *appsv1.StatefulSet, revision string) *corev1.Pod {
	w.Helper()
	member := &corev1.Pod{ObjectMeta: *set.Spec.Template.ObjectMeta.DeepCopy(), Spec: *set.Spec.Template.Spec.DeepCopy()}
	member.Namespace, member.Name = set.Namespace, set.Name+"-0"
	member.Labels[appsv1.StatefulSetRevisionLabel] = revision
	member.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(set, appsv1.SchemeGroupVersion.WithKind("StatefulSet"))}
	member.Spec.NodeName = "node-1"
	member.Spec.Volumes = append(member.Spec.Volumes, corev1.Volume{Name: pod.DataVolume, VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data-" + member.Name}}})
	w.create(member)
	return member
}

// serve has the agent say that all is well and that it has what is mounted.
func (w *world) serve(db *dbv1.Database) {
	w.Helper()
	w.agents.set(db.Name+"-0", w.healthy(db))
}

func (w *world) healthy(db *dbv1.Database) agentapi.Status {
	w.Helper()
	config, tls, app, admin := &corev1.ConfigMap{}, &corev1.Secret{}, &corev1.Secret{}, &corev1.Secret{}
	w.get(db.Name+"-config", config)
	w.get(db.Name+"-tls", tls)
	w.get(db.Name+"-app", app)
	w.get(db.Name+"-admin", admin)
	var spec agentapi.Spec
	if err := json.Unmarshal([]byte(config.Data[pod.SpecFile]), &spec); err != nil {
		w.Fatal(err)
	}
	return agentapi.Status{
		Member: db.Name + "-0", UID: "member-uid", ClusterUID: "cluster-uid",
		SpecGeneration: spec.Generation, Role: agentapi.RolePrimary, Ready: true,
		Term: 1, RecordVersion: 2, RuleMembers: []string{"member-uid"}, RuleAcks: 1,
		EngineVersion: "17.12", Position: "0/1", EngineStarts: 1,
		ConfigHash: agentapi.HashFiles([]byte(config.Data[pod.SpecFile]), tls.Data, app.Data, admin.Data),
	}
}
