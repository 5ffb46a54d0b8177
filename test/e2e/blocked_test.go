//go:build e2e

package e2e

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// explained is how long a person may be left without a reason.
const explained = 30 * time.Second

// What the cluster lacks is told within 30 seconds, with what to do, and the
// Database recovers by itself where the cure is an edit.
func TestBlockedStatesAreExplained(t *testing.T) {
	e := engines[0]
	for name, c := range map[string]struct {
		before func(t *testing.T, namespace string)
		spec   func(*dbv1.DatabaseSpec)
		reason string
		says   string
	}{
		"no node takes the pod": {
			spec: func(s *dbv1.DatabaseSpec) {
				s.Scheduling = dbv1.Scheduling{NodeSelector: map[string]dbv1.LabelValue{"disk": "none-has-this"}}
			},
			reason: dbv1.ReasonUnschedulable, says: "node",
		},
		"there is no such StorageClass": {
			spec:   func(s *dbv1.DatabaseSpec) { class := "no-such-class"; s.StorageClassName = &class },
			reason: dbv1.ReasonStorageClassNotFound, says: "no-such-class",
		},
		"the image cannot be pulled": {
			spec:   func(s *dbv1.DatabaseSpec) { s.Image = "docker.io/library/no-such-image:17" },
			reason: dbv1.ReasonImageNotPulled, says: "no-such-image",
		},
		"a quota refuses the pod": {
			before: func(t *testing.T, namespace string) {
				create(t, &corev1.ResourceQuota{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "no-pods"},
					Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}},
				})
			},
			reason: dbv1.ReasonQuotaExceeded, says: "quota",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := newNamespace(t)
			if c.before != nil {
				c.before(t, namespace)
			}
			db := newDatabase(namespace, "stuck", e)
			if c.spec != nil {
				c.spec(&db.Spec)
			}
			create(t, db)
			told := waitCondition(t, db, explained, dbv1.ConditionNotBlocked, metav1.ConditionFalse, c.reason)
			if !strings.Contains(told.Message, c.says) {
				t.Errorf("the message %q does not speak of %q", told.Message, c.says)
			}
			if db.Status.Ready || db.Status.Phase != dbv1.PhaseBlocked {
				t.Errorf("ready=%t phase=%s", db.Status.Ready, db.Status.Phase)
			}
		})
	}
}

// What the user asked for and cannot have is told, and nothing is made of it.
func TestImpossibleSpecsAreExplained(t *testing.T) {
	for name, c := range map[string]struct {
		engine engineCase
		spec   func(*dbv1.DatabaseSpec)
		before func(t *testing.T, namespace string)
		reason string
		says   string
	}{
		"a version that nobody knows": {
			engine: engines[0], spec: func(s *dbv1.DatabaseSpec) { s.Version = "99" },
			reason: dbv1.ReasonUnsupportedVersion, says: "17",
		},
		"another engine's version that nobody knows": {
			engine: engines[1], spec: func(s *dbv1.DatabaseSpec) { s.Version = "5.7" },
			reason: dbv1.ReasonUnsupportedVersion, says: "9.7",
		},
		"a Service of that name is somebody else's": {
			engine: engines[0],
			before: func(t *testing.T, namespace string) {
				create(t, &corev1.Service{
					ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "asked"},
					Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
				})
			},
			reason: dbv1.ReasonNameConflict, says: "Service",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			namespace := newNamespace(t)
			if c.before != nil {
				c.before(t, namespace)
			}
			db := newDatabase(namespace, "asked", c.engine)
			if c.spec != nil {
				c.spec(&db.Spec)
			}
			create(t, db)
			told := waitCondition(t, db, explained, dbv1.ConditionStalled, metav1.ConditionTrue, c.reason)
			if !strings.Contains(told.Message, c.says) {
				t.Errorf("the message %q does not speak of %q", told.Message, c.says)
			}
			pods, err := world.clientset.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(pods.Items) > 0 {
				t.Errorf("%d pods were made, %v", len(pods.Items), err)
			}
		})
	}
}
