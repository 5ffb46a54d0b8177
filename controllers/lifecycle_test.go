//go:build apiserver

package controllers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/pod"
)

// ready brings a Database of one member to Ready and lets it settle.
func (w *world) ready(db *dbv1.Database) *corev1.Pod {
	w.Helper()
	w.pass(db)
	member := w.run(db)
	w.pass(db)
	w.pass(db)
	if !db.Status.Ready {
		w.Fatalf("not ready: %+v", db.Status)
	}
	return member
}

func TestFirstPassMakesEverything(t *testing.T) {
	for name, e := range map[string]struct {
		engine  dbv1.Engine
		version string
	}{
		"postgres": {dbv1.EnginePostgres, "17"},
		"mysql":    {dbv1.EngineMySQL, "9.7"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			db := w.database("shop", e.engine, e.version, nil)
			w.pass(db)
			if db.Status.Phase != dbv1.PhaseCreating || db.Status.Ready || db.Status.ObservedGeneration != 1 {
				t.Errorf("status %+v", db.Status)
			}
			w.expect(db, dbv1.ConditionReconciling, metav1.ConditionTrue, dbv1.ReasonUpdating)
			w.shows(db, "ready", false)

			lease := &coordinationv1.Lease{}
			w.get("shop-ha", lease)
			if lease.Annotations[pod.BootstrapAnnotation] != "shop-0" {
				t.Errorf("the register of a new Database is marked %v", lease.Annotations)
			}
			for _, name := range []string{"shop-rw", "shop-ro"} {
				slice := &discoveryv1.EndpointSlice{}
				w.get(name, slice)
				if len(slice.Endpoints) != 0 || slice.AddressType != discoveryv1.AddressTypeIPv4 {
					t.Errorf("%s: %+v", name, slice)
				}
			}

			w.run(db)
			w.pass(db)
			if !db.Status.Ready || db.Status.Phase != dbv1.PhaseRunning || db.Status.Primary != "shop-0" || db.Status.ClusterUID != "cluster-uid" {
				t.Errorf("status %+v", db.Status)
			}
			if diff := cmp.Diff(&dbv1.Rule{Version: 2, Members: []string{"shop-0"}, Acks: 1}, db.Status.Rule); diff != "" {
				t.Errorf("rule:\n%s", diff)
			}
			w.expect(db, dbv1.ConditionReady, metav1.ConditionTrue, dbv1.ReasonReady)
			w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionTrue, dbv1.ReasonSettled)
			if c := w.condition(db, dbv1.ConditionReconciling); c.Type != "" {
				t.Errorf("Reconciling is still there: %+v", c)
			}
		})
	}
}

func TestSettledDatabaseCausesNoWrite(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", func(db *dbv1.Database) {
		db.Spec.Resources = dbv1.Resources{Limits: corev1.ResourceList{corev1.ResourceMemory: quantity("1024Mi"), corev1.ResourceCPU: quantity("1500m")}}
		db.Spec.Scheduling.Tolerations = []dbv1.Toleration{{Key: "db", Operator: corev1.TolerationOpExists}}
		db.Spec.Scheduling.TopologySpreadConstraints = []dbv1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.ScheduleAnyway}}
		db.Spec.Service.Annotations = map[string]dbv1.AnnotationValue{"example.org/a": "b"}
	})
	w.ready(db)
	w.wrote()
	moved := w.healthy(db)
	moved.Position = "0/2"
	w.agents.set("shop-0", moved)
	result := w.pass(db)
	if wrote := w.wrote(); len(wrote) > 0 {
		t.Errorf("a settled Database caused %q", wrote)
	}
	if result.RequeueAfter < time.Hour {
		t.Errorf("it is looked at again after %v", result.RequeueAfter)
	}
	// Another operator process has no memory.
	w.reconciler = w.restarted()
	w.pass(db)
	if wrote := w.wrote(); len(wrote) > 0 {
		t.Errorf("a restarted operator caused %q", wrote)
	}
}

func TestOperatorUpgradeLeavesTheTemplate(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EngineMySQL, "9.7", nil)
	w.ready(db)
	before := &appsv1.StatefulSet{}
	w.get("shop", before)

	w.reconciler.Settings.AgentImage = "docker.io/myuser/db-operator:2"
	w.pass(db)
	w.pass(db)
	after := &appsv1.StatefulSet{}
	w.get("shop", after)
	if diff := cmp.Diff(before.Spec, after.Spec); diff != "" || after.Generation != before.Generation {
		t.Errorf("generation %d, then %d:\n%s", before.Generation, after.Generation, diff)
	}
	w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionFalse, dbv1.ReasonAgentOutdated)
	if !db.Status.Ready || db.Status.Phase != dbv1.PhaseRunning {
		t.Errorf("status %+v", db.Status)
	}

	w.edit(db, func() { db.Annotations = map[string]string{"example.com/restart": "now"} })
	w.pass(db)
	w.get("shop", after)
	if got := after.Spec.Template.Spec.InitContainers[0].Image; got != "docker.io/myuser/db-operator:2" {
		t.Errorf("after a restart was asked for the agent is %s", got)
	}
}

func TestManualEditsAreSetRight(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	w.ready(db)
	service, set := &corev1.Service{}, &appsv1.StatefulSet{}
	service.Name, set.Name = "shop", "shop"
	w.edit(service, func() {
		service.Spec.Ports[0].TargetPort = intstr.FromInt32(1234)
		service.Annotations = map[string]string{"theirs": "stays"}
	})
	w.edit(set, func() { set.Spec.Template.Spec.Containers[0].Image = "somewhere/else:1" })
	w.pass(db)
	w.get("shop", service)
	w.get("shop", set)
	if service.Spec.Ports[0].TargetPort.IntVal != 5432 || len(service.Spec.Ports) != 1 || service.Annotations["theirs"] != "stays" {
		t.Errorf("the Service is %+v with %v", service.Spec.Ports, service.Annotations)
	}
	if got := set.Spec.Template.Spec.Containers[0].Image; got != "docker.io/library/postgres:17" {
		t.Errorf("the image is %s", got)
	}
}

// A list entry is known by its port: another number makes it another entry, of
// the same name, beside which ours would be refused.
func TestAnEditedPortNumberIsSetRight(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", func(db *dbv1.Database) { db.Spec.Service.Type = corev1.ServiceTypeNodePort })
	w.ready(db)
	for _, name := range []string{"shop", "shop-ro", "shop-members"} {
		service := &corev1.Service{}
		service.Name = name
		w.edit(service, func() { service.Spec.Ports[0].Port = 1234 })
		before := service.DeepCopy()
		w.edit(service, func() {
			service.Spec.Ports = append(service.Spec.Ports, corev1.ServicePort{Name: "theirs", Port: 80})
		})
		w.pass(db)
		w.get(name, service)
		var ports []int32
		for _, port := range service.Spec.Ports {
			ports = append(ports, port.Port)
		}
		slices.Sort(ports)
		want := []int32{80, 5432}
		if name == "shop-members" {
			want = []int32{80, 5432, 8443, 9187}
		}
		if !slices.Equal(ports, want) {
			t.Errorf("%s has the ports %v, want %v", name, ports, want)
		}
		i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Port == 5432 })
		if i >= 0 && service.Spec.Ports[i].NodePort != before.Spec.Ports[0].NodePort {
			t.Errorf("%s has another node port", name)
		}
		w.expect(db, dbv1.ConditionReady, metav1.ConditionTrue, dbv1.ReasonReady)
	}
	w.pass(db)
	w.wrote()
	w.pass(db)
	if wrote := w.wrote(); len(wrote) > 0 {
		t.Errorf("once set right, it caused %q", wrote)
	}
}

func TestAnotherTemplateReplacesThePod(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	member := w.ready(db)
	w.edit(db, func() { db.Spec.Resources.Requests[corev1.ResourceMemory] = quantity("1Gi") })
	w.pass(db)
	w.get(member.Name, member)
	set := &appsv1.StatefulSet{}
	w.get("shop", set)
	w.observed(set, "another-revision")
	w.wrote()
	w.pass(db)
	if wrote := w.wrote(); !slices.Contains(wrote, "delete shop-0") {
		t.Errorf("wrote %q", wrote)
	}
	w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionFalse, dbv1.ReasonUpdating)
	if db.Status.Phase != dbv1.PhaseUpdating || len(db.Status.Plan) != 1 {
		t.Errorf("phase %s, plan %q", db.Status.Phase, db.Status.Plan)
	}
}

func TestNewParametersReachTheMember(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	member := w.ready(db)
	w.edit(db, func() { db.Spec.Parameters = dbv1.Parameters{"max_connections": "150"} })
	if result := w.pass(db); result.RequeueAfter != refreshed {
		t.Errorf("the node is told after %v", result.RequeueAfter)
	}
	w.pass(db)
	w.get(member.Name, member)
	if member.Annotations[pod.ConfigAnnotation] == "" {
		t.Error("the node was not told")
	}
	w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionFalse, dbv1.ReasonUpdating)

	pending := w.healthy(db)
	pending.PendingRestart = []string{"max_connections"}
	w.agents.set("shop-0", pending)
	w.pass(db)
	if diff := cmp.Diff([]int64{db.Generation}, w.agents.restarts); diff != "" {
		t.Errorf("restarts:\n%s", diff)
	}
	w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionFalse, dbv1.ReasonRestartPending)
	w.serve(db)
	w.pass(db)
	w.expect(db, dbv1.ConditionUpToDate, metav1.ConditionTrue, dbv1.ReasonSettled)
}

func TestAnEditedPasswordReachesTheBinding(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EngineMySQL, "9.7", nil)
	w.ready(db)
	app := &corev1.Secret{}
	app.Name = "shop-app"
	w.edit(app, func() { app.Data["password"] = []byte("chosen-by-a-person") })
	w.pass(db)
	w.get("shop-app", app)
	if string(app.Data["password"]) != "chosen-by-a-person" || !strings.Contains(string(app.Data["uri"]), "chosen-by-a-person") {
		t.Errorf("the binding is %q", app.Data["uri"])
	}
}

func TestAMissingRegisterIsNotMarkedAgain(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	w.ready(db)
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "shop-ha"}}
	if err := w.client.Delete(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	w.pass(db)
	w.get("shop-ha", lease)
	if _, marked := lease.Annotations[pod.BootstrapAnnotation]; marked {
		t.Error("an empty volume could take the lead")
	}
}

// A volume that was led with is never taken for a new one; one that never came
// so far is.
func TestKeptVolumesAndTheFirstStart(t *testing.T) {
	for name, c := range map[string]struct {
		cluster string
		marked  bool
	}{
		"with data":                      {"cluster-uid", false},
		"of a Database that never began": {"", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			claim := kept(w.namespace, map[string]string{desired.DatabaseLabel: "shop", desired.EngineLabel: "postgres"})
			if c.cluster != "" {
				claim.Annotations = map[string]string{desired.ClusterAnnotation: c.cluster}
			}
			w.create(claim)
			w.pass(w.database("shop", dbv1.EnginePostgres, "17", nil))
			lease := &coordinationv1.Lease{}
			w.get("shop-ha", lease)
			if _, marked := lease.Annotations[pod.BootstrapAnnotation]; marked != c.marked {
				t.Errorf("the register is marked for a first start: %t", marked)
			}
		})
	}
}

func TestCertificatesAreRenewed(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	w.ready(db)
	before, after := &corev1.Secret{}, &corev1.Secret{}
	w.get("shop-tls", before)
	w.now = w.now.Add(300 * 24 * time.Hour)
	w.pass(db)
	w.get("shop-tls", after)
	if string(before.Data["0.crt"]) == string(after.Data["0.crt"]) {
		t.Error("the member's certificate is the old one")
	}
	if string(before.Data["ca.crt"]) != string(after.Data["ca.crt"]) {
		t.Error("the authority was changed")
	}
}
