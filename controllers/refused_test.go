//go:build apiserver

package controllers

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
)

func quantity(text string) resource.Quantity { return resource.MustParse(text) }

func TestSpecsThatCannotBeCarriedOutChangeNothing(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*dbv1.Database)
		before func(*world)
		reason string
		says   string
	}{
		"an unknown version": {
			change: func(db *dbv1.Database) { db.Spec.Version = "12" },
			reason: dbv1.ReasonUnsupportedVersion, says: "write one of",
		},
		"an unknown parameter": {
			change: func(db *dbv1.Database) { db.Spec.Parameters = dbv1.Parameters{"max_conections": "1"} },
			reason: dbv1.ReasonInvalidParameters, says: "spec.parameters.max_conections",
		},
		"an affinity that is none": {
			change: func(db *dbv1.Database) {
				db.Spec.Scheduling.Affinity = &runtime.RawExtension{Raw: []byte(`{"nodeAfinity":{}}`)}
			},
			reason: dbv1.ReasonInvalidScheduling, says: "kubectl explain",
		},
		"a Secret of somebody else": {
			before: func(w *world) {
				w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "shop-app"}})
			},
			reason: dbv1.ReasonNameConflict, says: "Secret shop-app",
		},
		"a Service of somebody else": {
			before: func(w *world) {
				w.create(&corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "shop-members"},
					Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}}})
			},
			reason: dbv1.ReasonNameConflict, says: "Service shop-members",
		},
		"a claim of somebody else": {
			before: func(w *world) { w.create(kept(w.namespace, nil)) },
			reason: dbv1.ReasonNameConflict, says: "PersistentVolumeClaim data-shop-0",
		},
		"a kept volume of another engine": {
			before: func(w *world) {
				w.create(kept(w.namespace, map[string]string{desired.DatabaseLabel: "shop", desired.EngineLabel: "mysql"}))
			},
			reason: dbv1.ReasonEngineMismatch, says: "engine: mysql",
		},
		"a kept volume of another series": {
			before: func(w *world) {
				claim := kept(w.namespace, map[string]string{desired.DatabaseLabel: "shop", desired.EngineLabel: "postgres"})
				claim.Annotations = map[string]string{desired.VersionAnnotation: "16"}
				w.create(claim)
			},
			reason: dbv1.ReasonVersionChangeRefused, says: `version: "16"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if c.before != nil {
				c.before(w)
			}
			db := w.database("shop", dbv1.EnginePostgres, "17", c.change)
			w.pass(db)
			stalled := w.expect(db, dbv1.ConditionStalled, metav1.ConditionTrue, c.reason)
			if !strings.Contains(stalled.Message, c.says) {
				t.Errorf("the message %q does not say %q", stalled.Message, c.says)
			}
			w.expect(db, dbv1.ConditionReady, metav1.ConditionFalse, c.reason)
			if db.Status.Phase != dbv1.PhaseBlocked {
				t.Errorf("phase %s", db.Status.Phase)
			}
			if wrote := w.wrote(); len(wrote) != 1 || wrote[0] != "status shop" {
				t.Errorf("wrote %q", wrote)
			}
			w.pass(db)
			if wrote := w.wrote(); len(wrote) != 0 {
				t.Errorf("the second pass wrote %q", wrote)
			}
			// One for the refusal; the reason of NotBlocked is the same.
			if got := len(w.events.Events); got != 1 {
				t.Errorf("%d events", got)
			}
		})
	}
}

func kept(namespace string, labels map[string]string) *corev1.PersistentVolumeClaim {
	return &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "data-shop-0", Labels: labels},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: quantity("10Gi")}},
		},
	}
}

func TestEditsThatAreRefusedLeaveARunningDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*dbv1.Database)
		reason string
	}{
		"another series":        {func(db *dbv1.Database) { db.Spec.Version = "18" }, dbv1.ReasonVersionChangeRefused},
		"less storage":          {func(db *dbv1.Database) { db.Spec.Storage = "5Gi" }, dbv1.ReasonStorageCannotShrink},
		"a parameter of ours":   {func(db *dbv1.Database) { db.Spec.Parameters = dbv1.Parameters{"work_mem": "much"} }, dbv1.ReasonInvalidParameters},
		"a version that is not": {func(db *dbv1.Database) { db.Spec.Version = "3" }, dbv1.ReasonUnsupportedVersion},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			db := w.database("shop", dbv1.EnginePostgres, "17", nil)
			w.ready(db)
			before, after := &appsv1.StatefulSet{}, &appsv1.StatefulSet{}
			w.get("shop", before)
			w.wrote()
			w.edit(db, func() { c.change(db) })
			w.pass(db)
			w.get("shop", after)
			w.expect(db, dbv1.ConditionStalled, metav1.ConditionTrue, c.reason)
			w.expect(db, dbv1.ConditionAvailable, metav1.ConditionTrue, dbv1.ReasonAvailable)
			if wrote := w.wrote(); len(wrote) != 1 || wrote[0] != "status shop" || after.Generation != before.Generation {
				t.Errorf("wrote %q", wrote)
			}
		})
	}
}

// Somebody has put an object of their own where one of ours was.
func TestARunningDatabaseTakesNothingOver(t *testing.T) {
	for _, name := range []string{"shop-app", "shop-admin", "shop-ca", "shop-tls"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			db := w.database("shop", dbv1.EnginePostgres, "17", nil)
			w.ready(db)
			theirs := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
			if err := w.client.Delete(t.Context(), theirs); err != nil {
				t.Fatal(err)
			}
			theirs = &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}, Data: map[string][]byte{"theirs": []byte("1")}}
			w.create(theirs)
			w.wrote()
			w.pass(db)
			after := &corev1.Secret{}
			w.get(name, after)
			if after.ResourceVersion != theirs.ResourceVersion {
				t.Errorf("it was changed: %+v", after.ObjectMeta)
			}
			if wrote := w.wrote(); len(wrote) != 1 || wrote[0] != "status shop" {
				t.Errorf("wrote %q", wrote)
			}
			w.expect(db, dbv1.ConditionStalled, metav1.ConditionTrue, dbv1.ReasonNameConflict)
			w.expect(db, dbv1.ConditionAvailable, metav1.ConditionTrue, dbv1.ReasonAvailable)
		})
	}
}

func TestStorageGrowsOneClaimAtATime(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	class := "expands"
	db.Spec.StorageClassName = &class
	w.ready(db)
	set := &appsv1.StatefulSet{}
	w.get("shop", set)
	generation := set.Generation
	w.edit(db, func() { db.Spec.Storage = "20Gi" })
	w.pass(db)
	w.get("shop", set)
	if set.Generation != generation {
		t.Error("the StatefulSet changed")
	}
	// The claim has no class here, so the API server refuses, and says so.
	w.expect(db, dbv1.ConditionStalled, metav1.ConditionTrue, dbv1.ReasonStorageCannotGrow)
	w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionFalse, dbv1.ReasonStorageCannotGrow)
	if len(db.Status.Plan) > 0 {
		t.Errorf("plan %q", db.Status.Plan)
	}
	w.edit(db, func() { db.Spec.Storage = "10Gi" })
	w.pass(db)
	if c := w.condition(db, dbv1.ConditionStalled); c.Type != "" {
		t.Errorf("after the edit was taken back: %+v", c)
	}
}

func TestMoreThanOneMemberIsToldTruthfully(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", func(db *dbv1.Database) { db.Spec.Replicas = 3 })
	w.pass(db)
	w.run(db)
	w.pass(db)
	w.expect(db, dbv1.ConditionReady, metav1.ConditionFalse, dbv1.ReasonReplicationNotSupported)
	w.expect(db, dbv1.ConditionDurable, metav1.ConditionFalse, dbv1.ReasonReplicationNotSupported)
	w.expect(db, dbv1.ConditionAvailable, metav1.ConditionTrue, dbv1.ReasonAvailable)
	if db.Status.Phase != dbv1.PhaseDegraded || db.Status.Ready || db.Status.Replicas != 1 {
		t.Errorf("status %+v", db.Status)
	}
}

func TestObjectsOfADeletedNamesakeAreWaitedFor(t *testing.T) {
	w := newWorld(t)
	former := w.database("shop", dbv1.EnginePostgres, "17", nil)
	w.pass(former)
	w.wrote()
	if err := w.client.Delete(t.Context(), former); err != nil {
		t.Fatal(err)
	}
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	if result := w.pass(db); result.RequeueAfter != underWay {
		t.Errorf("looked at again after %v", result.RequeueAfter)
	}
	ready := w.expect(db, dbv1.ConditionReady, metav1.ConditionFalse, dbv1.ReasonCreating)
	if !strings.Contains(ready.Message, "Service shop-ro") {
		t.Errorf("the message is %q", ready.Message)
	}
	if c := w.condition(db, dbv1.ConditionStalled); c.Type != "" {
		t.Errorf("stalled: %+v", c)
	}
	if wrote := w.wrote(); len(wrote) != 1 {
		t.Errorf("wrote %q", wrote)
	}
}

func TestPodsAreAdmittedUnderTheRestrictedProfile(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EngineMySQL, "8.4", nil)
	w.pass(db)
	w.run(db) // creates the pod of the template

	bad := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "bad"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	if err := w.client.Create(t.Context(), bad); !apierrors.IsForbidden(err) {
		t.Errorf("a pod without any restriction was taken: %v", err)
	}
}

func TestARefusedPodIsExplained(t *testing.T) {
	for name, c := range map[string]struct{ text, reason, says string }{
		"by a quota":  {`create Pod shop-0 in StatefulSet shop failed error: pods "shop-0" is forbidden: exceeded quota: none, requested: pods=1, used: pods=0, limited: pods=0`, dbv1.ReasonQuotaExceeded, "exceeded quota: none"},
		"by a policy": {`create Pod shop-0 in StatefulSet shop failed error: pods "shop-0" is forbidden: violates PodSecurity "restricted:latest"`, dbv1.ReasonPodRefused, "violates PodSecurity"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			db := w.database("shop", dbv1.EnginePostgres, "17", nil)
			w.pass(db)
			set := &appsv1.StatefulSet{}
			w.get("shop", set)
			w.create(&corev1.Event{
				ObjectMeta:     metav1.ObjectMeta{Namespace: w.namespace, Name: "refused"},
				InvolvedObject: corev1.ObjectReference{Kind: "StatefulSet", APIVersion: "apps/v1", Namespace: w.namespace, Name: "shop", UID: set.UID},
				Reason:         "FailedCreate", Message: c.text, Type: corev1.EventTypeWarning,
				LastTimestamp: metav1.Now(),
			})
			w.pass(db)
			blocked := w.expect(db, dbv1.ConditionNotBlocked, metav1.ConditionFalse, c.reason)
			if !strings.Contains(blocked.Message, c.says) || db.Status.Phase != dbv1.PhaseBlocked {
				t.Errorf("phase %s, message %q", db.Status.Phase, blocked.Message)
			}
		})
	}
}

func TestDeletionKeepsTheClaims(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	w.ready(db)
	if claim := w.claim(db); len(claim.OwnerReferences) > 0 || claim.Annotations[desired.VersionAnnotation] != "17" || claim.Annotations[desired.ClusterAnnotation] != "cluster-uid" {
		t.Errorf("the claim: %+v", claim.ObjectMeta)
	}
	if len(db.Finalizers) > 0 {
		t.Errorf("finalizers %q", db.Finalizers)
	}
	uid := types.UID("")
	for _, object := range []client.Object{&corev1.Service{}, &appsv1.StatefulSet{}} {
		w.get("shop", object)
		owner := metav1.GetControllerOf(object)
		if owner == nil || owner.UID != db.UID || owner.UID == uid {
			t.Errorf("%T is owned by %+v", object, owner)
		}
	}
}
