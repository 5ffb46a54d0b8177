//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

func digits(n int64) string { return strconv.FormatInt(n, 10) }

// newNamespace makes a namespace in which only pods of the restricted profile
// are admitted, and removes it with all it holds.
func newNamespace(t *testing.T) string {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		GenerateName: "e2e-",
		Labels: map[string]string{
			"pod-security.kubernetes.io/enforce":         "restricted",
			"pod-security.kubernetes.io/enforce-version": "latest",
		},
	}}
	if err := world.client.Create(t.Context(), ns); err != nil {
		t.Fatalf("making a namespace: %v", err)
	}
	t.Cleanup(func() {
		// t.Context() has ended by now.
		ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
		defer cancel()
		if t.Failed() {
			report(ctx, t, ns.Name)
		}
		if err := world.client.Delete(ctx, ns); err != nil {
			t.Errorf("removing namespace %s: %v", ns.Name, err)
		}
		// The next test needs the memory.
		for tick := time.NewTicker(200 * time.Millisecond); ; {
			if err := world.client.Get(ctx, client.ObjectKeyFromObject(ns), ns); apierrors.IsNotFound(err) {
				tick.Stop()
				return
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Errorf("namespace %s is still there after 90 s: %v", ns.Name, ns.Status.Conditions)
				return
			}
		}
	})
	return ns.Name
}

// report prints what a person would look at after a failure.
func report(ctx context.Context, t *testing.T, namespace string) {
	var all dbv1.DatabaseList
	if err := world.client.List(ctx, &all, client.InNamespace(namespace)); err == nil {
		for i := range all.Items {
			t.Logf("%s: %s", all.Items[i].Name, describe(&all.Items[i]))
		}
	}
	var events corev1.EventList
	if err := world.client.List(ctx, &events, client.InNamespace(namespace)); err == nil {
		for _, e := range events.Items {
			t.Logf("event %s/%s %s: %s", e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Reason, e.Message)
		}
	}
	var pods corev1.PodList
	if err := world.client.List(ctx, &pods, client.InNamespace(namespace)); err != nil {
		return
	}
	for _, p := range pods.Items {
		tail := int64(40)
		text, err := world.clientset.CoreV1().Pods(namespace).GetLogs(p.Name, &corev1.PodLogOptions{TailLines: &tail}).DoRaw(ctx)
		t.Logf("log of %s on %s (%s) %v:\n%s", p.Name, p.Spec.NodeName, p.Status.Phase, err, text)
	}
}

// newDatabase is a small one-member Database of the engine; it is not created.
func newDatabase(namespace, name string, e engineCase) *dbv1.Database {
	return &dbv1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: dbv1.DatabaseSpec{
			Engine:     dbv1.Engine(e.name),
			Version:    e.version,
			Storage:    "1Gi",
			Parameters: maps.Clone(e.small),
		},
	}
}

// createReady makes the Database and waits until it serves.
func createReady(t *testing.T, db *dbv1.Database) {
	t.Helper()
	create(t, db)
	took := waitReady(t, db, 3*time.Minute)
	t.Logf("%s %s Ready after %s", db.Spec.Engine, db.Spec.Version, took.Round(100*time.Millisecond))
}

func create(t *testing.T, object client.Object) {
	t.Helper()
	if err := world.client.Create(t.Context(), object); err != nil {
		t.Fatalf("creating %T %s: %v", object, object.GetName(), err)
	}
}

// edit changes the Database's spec against its newest version.
func edit(t *testing.T, db *dbv1.Database, change func(*dbv1.Database)) {
	t.Helper()
	eventually(t, 10*time.Second, "the edit to be accepted", func(ctx context.Context) (bool, string) {
		if err := world.client.Get(ctx, client.ObjectKeyFromObject(db), db); err != nil {
			return false, err.Error()
		}
		change(db)
		err := world.client.Update(ctx, db)
		if err != nil && !apierrors.IsConflict(err) {
			t.Fatalf("editing %s: %v", db.Name, err)
		}
		return err == nil, fmt.Sprint(err)
	})
}

// readBinding reads the Secret that applications use, as they would.
func readBinding(t *testing.T, db *dbv1.Database) binding {
	t.Helper()
	var secret corev1.Secret
	if err := world.client.Get(t.Context(), client.ObjectKey{Namespace: db.Namespace, Name: db.Name + "-app"}, &secret); err != nil {
		t.Fatalf("reading the binding Secret: %v", err)
	}
	b := binding{}
	for key, value := range secret.Data {
		b[key] = string(value)
	}
	return b
}

// podOf is member 0's pod as it is now.
func podOf(t *testing.T, db *dbv1.Database) *corev1.Pod {
	t.Helper()
	pod := &corev1.Pod{}
	if err := world.client.Get(t.Context(), client.ObjectKey{Namespace: db.Namespace, Name: db.Name + "-0"}, pod); err != nil {
		t.Fatalf("reading member 0's pod: %v", err)
	}
	return pod
}

// otherNode is a node that does not run the pod: the clients of a test live
// there, so that they survive its node.
func otherNode(t *testing.T, pod *corev1.Pod) from {
	t.Helper()
	var nodes corev1.NodeList
	if err := world.client.List(t.Context(), &nodes); err != nil {
		t.Fatalf("listing nodes: %v", err)
	}
	for _, n := range nodes.Items {
		if n.Name != pod.Spec.NodeName {
			f, err := fromNode(n.Name)
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
	}
	t.Fatalf("no node besides %s", pod.Spec.NodeName)
	return from{}
}

// clientPod runs the engine's own command line client in a pod of the stock
// image, with nothing but the binding Secret, and returns what it printed.
func clientPod(t *testing.T, db *dbv1.Database, e engineCase) string {
	t.Helper()
	no, yes, user := false, true, int64(65532)
	env := func(name, key string) corev1.EnvVar {
		return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: db.Name + "-app"}, Key: key}}}
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: db.Namespace, Name: db.Name + "-client"},
		Spec: corev1.PodSpec{
			RestartPolicy:                corev1.RestartPolicyNever,
			AutomountServiceAccountToken: &no,
			SecurityContext: &corev1.PodSecurityContext{RunAsNonRoot: &yes, RunAsUser: &user, FSGroup: &user,
				SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}},
			Containers: []corev1.Container{{
				Name:    "client",
				Image:   imageOf(e),
				Command: e.clientCommand,
				Env: []corev1.EnvVar{env("HOST", "host"), env("PORT", "port"), env("DATABASE", "database"),
					env("USERNAME", "username"), env("PASSWORD", "password")},
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}},
				SecurityContext: &corev1.SecurityContext{AllowPrivilegeEscalation: &no,
					Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
				VolumeMounts: []corev1.VolumeMount{{Name: "binding", MountPath: "/binding", ReadOnly: true}},
			}},
			Volumes: []corev1.Volume{{Name: "binding", VolumeSource: corev1.VolumeSource{
				Secret: &corev1.SecretVolumeSource{SecretName: db.Name + "-app"}}}},
		},
	}
	create(t, pod)
	eventually(t, time.Minute, "the client pod to end", func(ctx context.Context) (bool, string) {
		if err := world.client.Get(ctx, client.ObjectKeyFromObject(pod), pod); err != nil {
			return false, err.Error()
		}
		return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed, string(pod.Status.Phase)
	})
	text, err := world.clientset.CoreV1().Pods(db.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{}).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("reading the client's output: %v", err)
	}
	if pod.Status.Phase != corev1.PodSucceeded {
		t.Fatalf("the client failed: %s", text)
	}
	return strings.TrimSpace(string(text))
}

func imageOf(e engineCase) string { return "docker.io/library/" + e.name + ":" + e.version }
