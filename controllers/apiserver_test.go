//go:build apiserver

package controllers

import (
	"context"
	"os"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
	"github.com/myuser/db-operator/internal/engine/postgres"
	"github.com/myuser/db-operator/internal/kubetest"
)

var server *kubetest.Server

func TestMain(m *testing.M) {
	os.Exit(kubetest.Run(m, func(s *kubetest.Server) { server = s }))
}

// world is one namespace with one reconciler, whose passes the test makes
// itself. There is no controller but ours: what Kubernetes would do, the test
// does.
type world struct {
	*testing.T
	client     client.WithWatch
	reconciler *DatabaseReconciler
	agents     *fakeAgents
	events     *events.FakeRecorder
	namespace  string
	now        time.Time

	mu     sync.Mutex
	writes []string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, dbv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	direct, err := client.NewWithWatch(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, client: direct, agents: &fakeAgents{answers: map[string]agentapi.Status{}}, events: events.NewFakeRecorder(200), now: time.Now()}
	w.namespace = kubetest.Namespace(t, direct)
	w.reconciler = w.restarted()
	return w
}

// restarted is a reconciler without memory.
func (w *world) restarted() *DatabaseReconciler {
	r := &DatabaseReconciler{
		Client:   interceptor.NewClient(w.client, w.counting()),
		Live:     w.client,
		Events:   w.events,
		Agents:   w.agents,
		Profiles: map[dbv1.Engine]engine.Profile{dbv1.EngineMySQL: mysql.Profile{}, dbv1.EnginePostgres: postgres.Profile{}},
		Settings: desired.Settings{AgentImage: "docker.io/myuser/db-operator:1", Registry: "docker.io", ClusterDomain: "cluster.local"},
		Now:      func() time.Time { return w.now },
	}
	r.prepare()
	return r
}

// counting notes every request that may change something.
func (w *world) counting() interceptor.Funcs {
	note := func(what string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.writes = append(w.writes, what)
	}
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			note("create " + o.GetName())
			return c.Create(ctx, o, opts...)
		},
		Apply: func(ctx context.Context, c client.WithWatch, o runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
			content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
			if err != nil {
				return err
			}
			note("apply " + content["kind"].(string))
			return c.Apply(ctx, o, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			note("delete " + o.GetName())
			return c.Delete(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			note(sub + " " + o.GetName())
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}
}

// wrote returns and forgets the requests since the last call.
func (w *world) wrote() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := w.writes
	w.writes = nil
	return all
}

// database creates one; the smallest spec, changed.
func (w *world) database(name string, e dbv1.Engine, version string, change func(*dbv1.Database)) *dbv1.Database {
	w.Helper()
	db := &dbv1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		Spec:       dbv1.DatabaseSpec{Engine: e, Version: version},
	}
	if change != nil {
		change(db)
	}
	w.create(db)
	return db
}

func (w *world) create(object client.Object) {
	w.Helper()
	if err := w.client.Create(w.Context(), object); err != nil {
		w.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

// pass reconciles once and reads the Database again.
func (w *world) pass(db *dbv1.Database) ctrl.Result {
	w.Helper()
	result, err := w.reconciler.Reconcile(w.Context(), ctrl.Request{NamespacedName: client.ObjectKeyFromObject(db)})
	if err != nil {
		w.Fatalf("reconciling: %v", err)
	}
	w.get(db.Name, db)
	return result
}

func (w *world) get(name string, object client.Object) {
	w.Helper()
	if err := w.client.Get(w.Context(), client.ObjectKey{Namespace: w.namespace, Name: name}, object); err != nil {
		w.Fatalf("reading %T %s: %v", object, name, err)
	}
}

func (w *world) edit(object client.Object, change func()) {
	w.Helper()
	w.get(object.GetName(), object)
	change()
	if err := w.client.Update(w.Context(), object); err != nil {
		w.Fatalf("editing %T %s: %v", object, object.GetName(), err)
	}
}

func (w *world) editStatus(object client.Object, change func()) {
	w.Helper()
	w.get(object.GetName(), object)
	change()
	if err := w.client.Status().Update(w.Context(), object); err != nil {
		w.Fatalf("editing the status of %T %s: %v", object, object.GetName(), err)
	}
}

func (w *world) condition(db *dbv1.Database, kind string) metav1.Condition {
	w.Helper()
	for _, c := range db.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return metav1.Condition{}
}

func (w *world) expect(db *dbv1.Database, kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
	w.Helper()
	c := w.condition(db, kind)
	if c.Status != status || c.Reason != reason {
		w.Errorf("%s is %s/%s (%s), want %s/%s", kind, c.Status, c.Reason, c.Message, status, reason)
	}
	return c
}

func (w *world) claim(db *dbv1.Database) *corev1.PersistentVolumeClaim {
	w.Helper()
	claim := &corev1.PersistentVolumeClaim{}
	w.get("data-"+db.Name+"-0", claim)
	return claim
}

// shows checks a field of the status as users see it, not as Go reads it.
func (w *world) shows(db *dbv1.Database, field string, want any) {
	w.Helper()
	raw := &unstructured.Unstructured{}
	raw.SetGroupVersionKind(dbv1.GroupVersion.WithKind("Database"))
	w.get(db.Name, raw)
	if got, found, _ := unstructured.NestedFieldNoCopy(raw.Object, "status", field); !found || got != want {
		w.Errorf("status.%s is %v, want %v", field, got, want)
	}
}
