//go:build e2e

package e2e

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// withOperatorFlags runs the operator with these flags in place of its own of
// the same names, and puts it back as it was at the end of the test.
func withOperatorFlags(t *testing.T, flags ...string) {
	t.Helper()
	original, err := operatorDeployment(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	changed := original.DeepCopy()
	args := &changed.Spec.Template.Spec.Containers[0].Args
	for _, flag := range flags {
		name, _, _ := strings.Cut(flag, "=")
		*args = slices.DeleteFunc(*args, func(a string) bool { return a == name || strings.HasPrefix(a, name+"=") })
	}
	*args = append(*args, flags...)
	if err := world.client.Update(t.Context(), changed); err != nil {
		t.Fatalf("changing the operator's flags: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		now, err := operatorDeployment(ctx)
		if err != nil {
			t.Error(err)
			return
		}
		now.Spec.Template = original.Spec.Template
		if err := world.client.Update(ctx, now); err != nil {
			t.Errorf("putting the operator's flags back: %v", err)
		}
	})
	waitOperator(t)
}

// An upgrade of the operator, which brings another agent, leaves every running
// pod as it is and says that the agents are older.
func TestOperatorUpgradeTouchesNoPod(t *testing.T) {
	namespace := newNamespace(t)
	type before struct {
		db         *dbv1.Database
		generation int64
		pod        string
	}
	var all []before
	for _, e := range engines {
		db := newDatabase(namespace, "steady-"+e.name, e)
		create(t, db)
		all = append(all, before{db: db})
	}
	for i := range all {
		waitReady(t, all[i].db, 3*time.Minute)
		all[i].generation = statefulSet(t, all[i].db).Generation
		all[i].pod = string(podOf(t, all[i].db).UID)
	}
	withOperatorFlags(t, "--agent-image=docker.io/myuser/db-operator:a-newer-one")
	for _, b := range all {
		waitCondition(t, b.db, time.Minute, dbv1.ConditionUpToDate, metav1.ConditionFalse, dbv1.ReasonAgentOutdated)
		if got := statefulSet(t, b.db).Generation; got != b.generation {
			t.Errorf("%s: the StatefulSet's generation went from %d to %d", b.db.Name, b.generation, got)
		}
		if got := string(podOf(t, b.db).UID); got != b.pod {
			t.Errorf("%s: the pod was replaced", b.db.Name)
		}
		if !b.db.Status.Ready {
			t.Errorf("%s is no longer ready: %s", b.db.Name, describe(b.db))
		}
	}
}

func statefulSet(t *testing.T, db *dbv1.Database) *appsv1.StatefulSet {
	t.Helper()
	set := &appsv1.StatefulSet{}
	if err := world.client.Get(t.Context(), client.ObjectKeyFromObject(db), set); err != nil {
		t.Fatalf("reading the StatefulSet: %v", err)
	}
	return set
}

// Platforms that choose the user themselves run pods as some large uid with
// group 0. Both engines serve as such a user.
func TestAnyUser(t *testing.T) {
	withOperatorFlags(t, "--run-as-user=1000680000", "--run-as-group=0")
	eachEngine(t, func(t *testing.T, e engineCase) {
		db := newDatabase(newNamespace(t), "anyone", e)
		createReady(t, db)
		if got := podOf(t, db).Spec.SecurityContext; got.RunAsUser == nil || *got.RunAsUser != 1000680000 {
			t.Errorf("the pod runs as %v", got.RunAsUser)
		}
		if err := connectTo(t, e, db).PingContext(t.Context()); err != nil {
			t.Errorf("connecting: %v", err)
		}
	})
}
