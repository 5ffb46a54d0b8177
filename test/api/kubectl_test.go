//go:build apiserver

package api

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/kubetest"
)

func TestKubectl(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	run := func(args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), server.Programs+"/kubectl", append([]string{"--kubeconfig", server.Kubeconfig, "-n", namespace}, args...)...)
		var errors bytes.Buffer
		command.Stderr = &errors
		out, err := command.Output()
		if err != nil {
			t.Fatalf("kubectl %v: %v\n%s", args, err, errors.String())
		}
		return string(out)
	}
	run("apply", "-f", "../../config/samples/my-mysql.yaml")
	object := create(t, namespace, `metadata: {name: other}`)
	if err := setStatus(t, object, `status: {observedGeneration: 1, ready: true, phase: Running, primary: other-0, conditions: [`+
		`{type: Ready, status: "True", reason: Ready, message: all members serve, lastTransitionTime: "2026-01-02T03:04:05Z"}]}`); err != nil {
		t.Fatal(err)
	}

	columns := func(text string) [][]string {
		var table [][]string
		for line := range strings.Lines(text) {
			table = append(table, strings.Fields(line))
		}
		return table
	}
	for _, name := range []string{"db", "database", "databases", "databases.v1.example.com"} {
		table := columns(run("get", name))
		want := []string{"NAME", "ENGINE", "VERSION", "READY", "REPLICAS", "PRIMARY", "PHASE", "AGE"}
		if diff := cmp.Diff(want, table[0]); diff != "" {
			t.Errorf("columns of kubectl get %s (-want +got):\n%s", name, diff)
		}
		want = []string{"other", "postgres", "17", "true", "1", "other-0", "Running"}
		if diff := cmp.Diff(want, table[2][:len(want)]); diff != "" {
			t.Errorf("row of kubectl get %s (-want +got):\n%s", name, diff)
		}
	}
	if wide := run("get", "db", "other", "-o", "wide"); !strings.Contains(wide, "all members serve") {
		t.Errorf("kubectl get -o wide shows no message:\n%s", wide)
	}
	if all := run("get", "all"); strings.Contains(all, "database") {
		t.Errorf("kubectl get all lists Databases, so delete all would delete them:\n%s", all)
	}
	for path, want := range map[string]string{
		"database":                              "spec",
		"database.spec.version":                 "Quote it",
		"database.spec.failover.profile":        "standard\n",
		"database.spec.scheduling.affinity":     "kubectl explain",
		"database.status.conditions.reason":     "reason",
		"database.spec.scheduling.nodeSelector": "Labels that a node must have",
	} {
		if text := run("explain", path); !strings.Contains(text, want) {
			t.Errorf("kubectl explain %s does not say %q:\n%s", path, want, text)
		}
	}
	if text := run("describe", "db", "my-mysql"); !strings.Contains(text, "Engine:") {
		t.Errorf("kubectl describe says:\n%s", text)
	}
	run("delete", "db", "my-mysql")
}
