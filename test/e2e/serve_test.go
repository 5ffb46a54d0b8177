//go:build e2e

package e2e

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A Database becomes Ready, and what its Secret says is enough to connect with
// verified TLS: from Go through the Service, and with the engine's own client
// in a pod.
func TestCreateAndConnect(t *testing.T) {
	eachEngine(t, func(t *testing.T, e engineCase) {
		db := newDatabase(newNamespace(t), "first", e)
		createReady(t, db)

		b := readBinding(t, db)
		for _, key := range []string{"type", "provider", "host", "port", "database", "username", "password", "uri", "jdbc-uri", "ca.crt"} {
			if b[key] == "" {
				t.Errorf("the binding Secret lacks %s", key)
			}
		}
		if got := db.Status.Binding.Name; got != "first-app" {
			t.Errorf("status.binding.name is %q", got)
		}
		if got := db.Status.Primary; got != "first-0" {
			t.Errorf("status.primary is %q", got)
		}

		pool, err := e.open(b, otherNode(t, podOf(t, db)))
		if err != nil {
			t.Fatal(err)
		}
		defer pool.Close()
		for _, statement := range []string{
			"create table greeting (id int primary key, text varchar(40))",
			"insert into greeting values (1, 'first light')",
		} {
			if _, err := pool.ExecContext(t.Context(), statement); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
		var text string
		if err := pool.QueryRowContext(t.Context(), "select text from greeting where id = 1").Scan(&text); err != nil || text != "first light" {
			t.Errorf("read %q, %v", text, err)
		}

		if got := clientPod(t, db, e); !strings.Contains(got, "answer") || !strings.Contains(got, "42") {
			t.Errorf("%s printed %q", e.clientCommand[0], got)
		}
	})
}

// kubectl shows the columns that the README shows, and knows the short name.
func TestKubectlGet(t *testing.T) {
	e := engines[0]
	db := newDatabase(newNamespace(t), "columns", e)
	createReady(t, db)
	for _, resource := range []string{"db", "databases"} {
		lines := strings.Split(strings.TrimSpace(kubectl(t, "get", resource, "-n", db.Namespace)), "\n")
		if len(lines) != 2 {
			t.Fatalf("kubectl get %s printed %q", resource, lines)
		}
		if header := strings.Fields(lines[0]); strings.Join(header[:4], " ") != "NAME ENGINE VERSION READY" {
			t.Errorf("columns are %v", header)
		}
		if row := strings.Fields(lines[1]); strings.Join(row[:4], " ") != "columns "+e.name+" "+e.version+" true" {
			t.Errorf("row is %v", row)
		}
	}
	if text := kubectl(t, "describe", "db", "columns", "-n", db.Namespace); !strings.Contains(text, "Conditions:") || !strings.Contains(text, "Events:") {
		t.Errorf("kubectl describe printed %s", text)
	}
}

// The namespaces of these tests really refuse what the restricted profile
// forbids: without this, passing under the label would prove nothing.
func TestRestrictedIsEnforced(t *testing.T) {
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = newNamespace(t), "privileged"
	privileged := true
	pod.Spec.Containers = []corev1.Container{{Name: "x", Image: imageOf(engines[0]), SecurityContext: &corev1.SecurityContext{Privileged: &privileged}}}
	err := world.client.Create(t.Context(), pod)
	if err == nil || !strings.Contains(err.Error(), `violates PodSecurity "restricted`) {
		t.Errorf("a privileged pod was answered with %v", err)
	}
	if err := world.client.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err == nil {
		t.Error("the privileged pod exists")
	}
}
