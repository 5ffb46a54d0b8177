//go:build e2e

package e2e

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// subject is one Database under load.
type subject struct {
	engineCase
	db   *dbv1.Database
	load *load
}

// startSubjects makes one Database of each engine and writes to all of them.
func startSubjects(t *testing.T) []subject {
	t.Helper()
	namespace := newNamespace(t)
	var all []subject
	for _, e := range engines {
		db := newDatabase(namespace, "survivor-"+e.name, e)
		create(t, db)
		all = append(all, subject{engineCase: e, db: db})
	}
	for i := range all {
		s := &all[i]
		waitReady(t, s.db, 3*time.Minute)
		pool, err := s.open(readBinding(t, s.db), otherNode(t, podOf(t, s.db)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { pool.Close() })
		s.load = startLoad(t, pool)
	}
	return all
}

// One member dies in every way that its surroundings know, under a write load:
// no acknowledged row is lost and nobody has to do anything.
func TestSurvives(t *testing.T) {
	all := startSubjects(t)
	forAll := func(do func(s subject)) {
		for _, s := range all {
			do(s)
		}
	}
	// fault proves that writes went on before it, and that they do again after.
	fault := func(name string, limit time.Duration, break_ func(t *testing.T)) {
		if t.Failed() {
			return
		}
		t.Run(name, func(t *testing.T) {
			forAll(func(s subject) { s.load.waitMore(t, 50, 20*time.Second, s.name+": writes before the fault") })
			break_(t)
			forAll(func(s subject) {
				took := s.load.waitMore(t, 50, limit, s.name+": writes after the fault")
				t.Logf("%s: 50 writes acknowledged %s after the fault", s.name, took.Round(10*time.Millisecond))
			})
			forAll(func(s subject) { waitReady(t, s.db, limit) })
		})
	}

	fault("the engine is killed", time.Minute, func(t *testing.T) {
		forAll(func(s subject) { kill(t, podOf(t, s.db), s.serverProcess) })
	})
	fault("the agent is killed", time.Minute, func(t *testing.T) {
		forAll(func(s subject) { kill(t, podOf(t, s.db), "agent") })
	})
	fault("the pod is deleted", 2*time.Minute, func(t *testing.T) {
		forAll(func(s subject) {
			pod := podOf(t, s.db)
			if err := world.client.Delete(t.Context(), pod); err != nil {
				t.Fatalf("deleting %s: %v", pod.Name, err)
			}
			waitReplaced(t, s.db, pod)
		})
	})
	fault("the node is powered off and on", 3*time.Minute, func(t *testing.T) {
		nodes := map[string]bool{}
		forAll(func(s subject) { nodes[podOf(t, s.db).Spec.NodeName] = true })
		for node := range nodes {
			devcluster(t, "node", "stop", node)
			devcluster(t, "node", "start", node)
		}
	})
	fault("the operator is restarted", time.Minute, func(t *testing.T) { restartOperator(t) })
	fault("the API server is stopped for two minutes", time.Minute, func(t *testing.T) {
		pods := map[string]*corev1.Pod{}
		forAll(func(s subject) { pods[s.name] = podOf(t, s.db) })
		devcluster(t, "apiserver", "stop")
		stopped := time.Now()
		t.Cleanup(func() { devclusterAlways(t, "apiserver", "start") })
		forAll(func(s subject) { s.load.waitMore(t, 50, 20*time.Second, s.name+": writes without the API server") })
		// An engine and a whole member come back without being able to ask.
		forAll(func(s subject) { kill(t, pods[s.name], s.serverProcess) })
		forAll(func(s subject) {
			s.load.waitMore(t, 50, time.Minute, s.name+": writes after the engine was killed, without the API server")
		})
		forAll(func(s subject) { kill(t, pods[s.name], "agent") })
		forAll(func(s subject) {
			s.load.waitMore(t, 50, time.Minute, s.name+": writes after the member was killed, without the API server")
		})
		rest := time.NewTimer(2*time.Minute - time.Since(stopped))
		defer rest.Stop()
		select {
		case <-rest.C:
		case <-t.Context().Done():
			t.Fatal("interrupted while the API server was stopped")
		}
		devcluster(t, "apiserver", "start")
	})
	forAll(func(s subject) { s.load.check(t) })
}

// waitReplaced waits until another pod has the name of this one.
func waitReplaced(t *testing.T, db *dbv1.Database, old *corev1.Pod) {
	t.Helper()
	eventually(t, 2*time.Minute, "pod "+old.Name+" to be replaced", func(ctx context.Context) (bool, string) {
		pod, err := world.clientset.CoreV1().Pods(db.Namespace).Get(ctx, old.Name, metav1.GetOptions{})
		if err != nil {
			return false, err.Error()
		}
		return pod.UID != old.UID, "the same pod"
	})
}

// restartOperator deletes the operator's pod and waits for its successor.
func restartOperator(t *testing.T) {
	t.Helper()
	before, err := world.clientset.CoreV1().Pods(operatorNamespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatalf("listing the operator's pods: %v", err)
	}
	for _, p := range before.Items {
		if err := world.clientset.CoreV1().Pods(operatorNamespace).Delete(t.Context(), p.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatalf("deleting %s: %v", p.Name, err)
		}
	}
	waitOperator(t)
}

// waitOperator waits until the operator's newest pods are all available.
func waitOperator(t *testing.T) {
	t.Helper()
	eventually(t, 2*time.Minute, "the operator to be available", func(ctx context.Context) (bool, string) {
		d, err := operatorDeployment(ctx)
		if err != nil {
			return false, err.Error()
		}
		s := d.Status
		return s.ObservedGeneration == d.Generation && s.UpdatedReplicas == *d.Spec.Replicas && s.AvailableReplicas == *d.Spec.Replicas && s.Replicas == *d.Spec.Replicas,
			"available " + digits(int64(s.AvailableReplicas)) + " of " + digits(int64(s.Replicas))
	})
}
