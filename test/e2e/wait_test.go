//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// eventually polls look until it says done. It fails the test at the deadline
// with what was waited for and what was seen last.
func eventually(t *testing.T, limit time.Duration, what string, look func(ctx context.Context) (done bool, seen string)) time.Duration {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	start := time.Now()
	last := "nothing"
	for {
		done, seen := look(ctx)
		if done {
			return time.Since(start)
		}
		if ctx.Err() == nil { // what a look says that ran into the deadline is the deadline
			last = seen
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %s for %s; last seen: %s", limit, what, last)
		}
	}
}

// describe draws a Database's state in one line for failures.
func describe(db *dbv1.Database) string {
	text := fmt.Sprintf("phase=%s ready=%t observed=%d/%d", db.Status.Phase, db.Status.Ready, db.Status.ObservedGeneration, db.Generation)
	for _, c := range db.Status.Conditions {
		text += fmt.Sprintf("; %s=%s (%s: %s)", c.Type, c.Status, c.Reason, c.Message)
	}
	return text
}

// waitReady waits until the Database's newest generation is Ready.
func waitReady(t *testing.T, db *dbv1.Database, limit time.Duration) time.Duration {
	t.Helper()
	return waitDatabase(t, db, limit, "Ready", func(db *dbv1.Database) bool {
		return db.Status.Ready && db.Status.ObservedGeneration == db.Generation
	})
}

// waitCondition waits for a condition with this status and reason.
func waitCondition(t *testing.T, db *dbv1.Database, limit time.Duration, kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
	t.Helper()
	var found metav1.Condition
	waitDatabase(t, db, limit, fmt.Sprintf("%s=%s/%s", kind, status, reason), func(db *dbv1.Database) bool {
		c := meta.FindStatusCondition(db.Status.Conditions, kind)
		if c == nil || c.Status != status || c.Reason != reason {
			return false
		}
		found = *c
		return true
	})
	return found
}

func waitDatabase(t *testing.T, db *dbv1.Database, limit time.Duration, what string, done func(*dbv1.Database) bool) time.Duration {
	t.Helper()
	key := client.ObjectKeyFromObject(db)
	return eventually(t, limit, fmt.Sprintf("Database %s to be %s", key, what), func(ctx context.Context) (bool, string) {
		if err := world.client.Get(ctx, key, db); err != nil {
			return false, err.Error()
		}
		return done(db), describe(db)
	})
}
