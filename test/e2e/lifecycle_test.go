//go:build e2e

package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// connectTo opens the Database's Service from a node that does not run it.
func connectTo(t *testing.T, e engineCase, db *dbv1.Database) *sql.DB {
	t.Helper()
	pool, err := e.open(readBinding(t, db), otherNode(t, podOf(t, db)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close() })
	return pool
}

// setting waits until the engine shows the wanted value.
func setting(t *testing.T, e engineCase, pool *sql.DB, name, want string, limit time.Duration) {
	t.Helper()
	eventually(t, limit, name+" to be "+want, func(ctx context.Context) (bool, string) {
		var got string
		if err := pool.QueryRowContext(ctx, fmt.Sprintf(e.show, name)).Scan(&got); err != nil {
			return false, err.Error()
		}
		return got == want, got
	})
}

// Parameters: what the engine can take at run time is taken at run time, what
// needs a restart gets one, and a parameter that is removed returns to its
// default. The pod stays the same throughout.
func TestParameters(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engineCase) {
		db := newDatabase(newNamespace(t), "tuned", e)
		createReady(t, db)
		pool := connectTo(t, e, db)
		before := podOf(t, db)
		var original string
		if err := pool.QueryRowContext(t.Context(), fmt.Sprintf(e.show, e.dynamic[0])).Scan(&original); err != nil {
			t.Fatal(err)
		}
		engineBefore, err := process(before, e.serverProcess)
		if err != nil {
			t.Fatal(err)
		}

		edit(t, db, func(db *dbv1.Database) { db.Spec.Parameters[e.dynamic[0]] = dbv1.ParameterValue(e.dynamic[1]) })
		setting(t, e, pool, e.dynamic[0], e.dynamic[2], time.Minute)
		waitReady(t, db, time.Minute)
		if now, err := process(podOf(t, db), e.serverProcess); err != nil || now != engineBefore {
			t.Errorf("the engine restarted for %s: pid %d, was %d (%v)", e.dynamic[0], now, engineBefore, err)
		}

		edit(t, db, func(db *dbv1.Database) { db.Spec.Parameters[e.static[0]] = dbv1.ParameterValue(e.static[1]) })
		setting(t, e, pool, e.static[0], e.static[2], 90*time.Second)
		waitReady(t, db, time.Minute)

		edit(t, db, func(db *dbv1.Database) { delete(db.Spec.Parameters, e.dynamic[0]) })
		setting(t, e, pool, e.dynamic[0], original, time.Minute)

		if after := podOf(t, db); after.UID != before.UID {
			t.Error("the pod was replaced for parameters")
		}
	})
}

// A parameter that the engine does not take is named in a condition, and the
// running database is left as it is.
func TestBadParameter(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engineCase) {
		db := newDatabase(newNamespace(t), "typo", e)
		createReady(t, db)
		pool := connectTo(t, e, db)
		edit(t, db, func(db *dbv1.Database) { db.Spec.Parameters[e.badParameter] = "1" })
		c := waitCondition(t, db, 30*time.Second, dbv1.ConditionStalled, metav1.ConditionTrue, dbv1.ReasonInvalidParameters)
		t.Logf("told: %s", c.Message)
		if err := pool.PingContext(t.Context()); err != nil {
			t.Errorf("the database no longer serves: %v", err)
		}
		edit(t, db, func(db *dbv1.Database) { delete(db.Spec.Parameters, e.badParameter) })
		waitReady(t, db, time.Minute)
	})
}

// Deleting a Database keeps its volume; creating it again adopts the data with
// a new password and a new CA. Another engine is refused.
func TestDeleteAndAdopt(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engineCase) {
		namespace := newNamespace(t)
		db := newDatabase(namespace, "kept", e)
		createReady(t, db)
		old := readBinding(t, db)
		pool := connectTo(t, e, db)
		for _, statement := range []string{"create table kept (id int primary key)", "insert into kept values (7)"} {
			if _, err := pool.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}

		deleteDatabase(t, db)
		var claim corev1.PersistentVolumeClaim
		if err := world.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "data-kept-0"}, &claim); err != nil {
			t.Fatalf("the claim is gone: %v", err)
		}

		other := engines[0]
		if other.name == e.name {
			other = engines[1]
		}
		wrong := newDatabase(namespace, "kept", other)
		create(t, wrong)
		c := waitCondition(t, wrong, 30*time.Second, dbv1.ConditionStalled, metav1.ConditionTrue, dbv1.ReasonEngineMismatch)
		t.Logf("told: %s", c.Message)
		deleteDatabase(t, wrong)

		again := newDatabase(namespace, "kept", e)
		createReady(t, again)
		now := readBinding(t, again)
		if now["password"] == old["password"] || now["ca.crt"] == old["ca.crt"] {
			t.Error("the adopted Database has its old password or CA")
		}
		var id int
		if err := connectTo(t, e, again).QueryRowContext(t.Context(), "select id from kept").Scan(&id); err != nil || id != 7 {
			t.Errorf("read %d, %v from the adopted volume", id, err)
		}
	})
}

// deleteDatabase deletes it and waits until it and all it owns are gone.
func deleteDatabase(t *testing.T, db *dbv1.Database) {
	t.Helper()
	if err := world.client.Delete(t.Context(), db); err != nil {
		t.Fatalf("deleting %s: %v", db.Name, err)
	}
	selector := client.MatchingLabels{"example.com/database": db.Name}
	eventually(t, 90*time.Second, "all objects of "+db.Name+" to be gone", func(ctx context.Context) (bool, string) {
		if err := world.client.Get(ctx, client.ObjectKeyFromObject(db), &dbv1.Database{}); !apierrors.IsNotFound(err) {
			return false, "the Database is there"
		}
		for _, list := range []client.ObjectList{&corev1.PodList{}, &corev1.ServiceList{}, &corev1.SecretList{}, &corev1.ConfigMapList{}} {
			if err := world.client.List(ctx, list, client.InNamespace(db.Namespace), selector); err != nil {
				return false, err.Error()
			}
			if n := meta.LenList(list); n > 0 {
				return false, fmt.Sprintf("%d left of %T", n, list)
			}
		}
		return true, ""
	})
}

// Editing the password in the Secret sets it in the engine.
func TestPasswordEdit(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engineCase) {
		db := newDatabase(newNamespace(t), "rotated", e)
		createReady(t, db)
		old := readBinding(t, db)
		secret := &corev1.Secret{}
		if err := world.client.Get(t.Context(), client.ObjectKey{Namespace: db.Namespace, Name: "rotated-app"}, secret); err != nil {
			t.Fatal(err)
		}
		secret.Data["password"] = []byte("a new one: ü/@'\"\\ %41")
		if err := world.client.Update(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		via := otherNode(t, podOf(t, db))
		login := func(ctx context.Context, b binding) error {
			pool, err := e.open(b, via)
			if err != nil {
				return err
			}
			defer pool.Close()
			return pool.PingContext(ctx)
		}
		eventually(t, 2*time.Minute, "the new password to be in force", func(ctx context.Context) (bool, string) {
			b := readBinding(t, db)
			if b["uri"] == old["uri"] {
				return false, "the Secret's uri still has the old password"
			}
			err := login(ctx, b)
			return err == nil, fmt.Sprint(err)
		})
		if err := login(t.Context(), old); err == nil {
			t.Error("the old password still works")
		}
	})
}
