//go:build cluster

package clustertest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

var program = flag.String("devcluster", "devcluster", "path of the program under test")

const (
	image   = "docker.io/library/postgres:17"
	timeout = 60 * time.Second
	tick    = 50 * time.Millisecond
)

// manifest is a pod with a volume of each class, on a node of choice, and a
// Service before it. It appends the time to a file of each volume, synced,
// five times a second.
const manifest = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %[1]s-dir, namespace: %[3]s}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %[1]s-xfs, namespace: %[3]s}
spec: {storageClassName: local-xfs, accessModes: [ReadWriteOnce], resources: {requests: {storage: 300Mi}}}
---
apiVersion: v1
kind: Pod
metadata: {name: %[1]s, namespace: %[3]s, labels: {app: %[1]s}}
spec:
  terminationGracePeriodSeconds: 1
  nodeSelector: {kubernetes.io/hostname: %[2]s}
  securityContext: {runAsNonRoot: true, runAsUser: 999, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: writer
      image: docker.io/library/postgres:17
      command: [bash, -c, "while true; do date +%%s.%%N | tee -a /dir/log >> /xfs/log; sync /xfs/log; sleep 0.2; done"]
      securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
      volumeMounts: [{name: dir, mountPath: /dir}, {name: xfs, mountPath: /xfs}]
  volumes:
    - {name: dir, persistentVolumeClaim: {claimName: %[1]s-dir}}
    - {name: xfs, persistentVolumeClaim: {claimName: %[1]s-xfs}}
`

// writer is the pod of the manifest in a namespace of its own.
type writer struct {
	t               *testing.T
	namespace, name string
	volumes         map[string]string // "dir" and "xfs" to the PersistentVolume
}

func newWriter(t *testing.T, name, node string) writer {
	t.Helper()
	w := writer{t: t, namespace: newNamespace(t, name), name: name, volumes: map[string]string{}}
	apply(t, fmt.Sprintf(manifest, name, node, w.namespace))
	w.kubectl("wait", "--for=condition=Ready", "pod/"+name, "--timeout=60s")
	for _, volume := range []string{"dir", "xfs"} {
		w.volumes[volume] = w.kubectl("get", "pvc", name+"-"+volume, "-o", "jsonpath={.spec.volumeName}")
	}
	w.awaitWriting()
	return w
}

func (w writer) kubectl(args ...string) string {
	w.t.Helper()
	return kubectl(w.t, append([]string{"-n", w.namespace}, args...)...)
}

func (w writer) try(args ...string) (string, error) {
	return try(w.t, append([]string{"-n", w.namespace}, args...)...)
}

// awaitWriting waits until the pod has written to both volumes from now on.
func (w writer) awaitWriting() {
	w.t.Helper()
	since := float64(time.Now().UnixNano()) / 1e9
	eventually(w.t, "the pod to write", func() error {
		for _, volume := range []string{"dir", "xfs"} {
			lines := w.lines(volume)
			if len(lines) == 0 {
				return fmt.Errorf("%s has no line", volume)
			}
			if last, err := strconv.ParseFloat(lines[len(lines)-1], 64); err != nil || last < since {
				return fmt.Errorf("the last line of %s is %s", volume, lines[len(lines)-1])
			}
		}
		return nil
	})
}

// lines are those of a volume's log, read on the host: no API server is needed.
func (w writer) lines(volume string) []string {
	w.t.Helper()
	files, err := filepath.Glob("/var/lib/devcluster/nodes/*/volumes/" + w.volumes[volume] + "/log")
	if err != nil || len(files) > 1 {
		w.t.Fatalf("logs of volume %s: %q, %v", w.volumes[volume], files, err)
	}
	if len(files) == 0 {
		return nil
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Fields(string(content))
}

func (w writer) count() int { return len(w.lines("dir")) + len(w.lines("xfs")) }

// expectSilence fails when more than the allowed lines are written within a
// second.
func (w writer) expectSilence(allowed int) {
	w.t.Helper()
	before := w.count()
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); <-ticker.C {
		if wrote := w.count() - before; wrote > allowed {
			w.t.Fatalf("%d lines were written, at most %d are expected", wrote, allowed)
		}
	}
}

func newNamespace(t *testing.T, name string) string {
	t.Helper()
	namespace := "devcluster-" + name
	kubectl(t, "create", "namespace", namespace)
	kubectl(t, "label", "namespace", namespace, "pod-security.kubernetes.io/warn=restricted")
	t.Cleanup(func() { kubectl(t, "delete", "namespace", namespace, "--wait=false") })
	return namespace
}

func apply(t *testing.T, text string) {
	t.Helper()
	command := exec.Command(*program, "kubectl", "apply", "-f", "-")
	command.Stdin = strings.NewReader(text)
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("applying: %v\n%s", err, out)
	}
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := try(t, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	command := exec.Command(*program, append([]string{"kubectl", "--request-timeout=90s"}, args...)...)
	var out, problem bytes.Buffer
	command.Stdout, command.Stderr = &out, &problem
	err := command.Run()
	if err != nil {
		return strings.TrimSpace(out.String() + problem.String()), err
	}
	return strings.TrimSpace(out.String()), nil
}

// run calls the program under test, which proves its effects itself.
func run(t *testing.T, args ...string) {
	t.Helper()
	out, err := exec.Command(*program, args...).CombinedOutput()
	t.Logf("%s", strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("devcluster %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	deadline := time.Now().Add(timeout)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waiting for %s: %v", what, err)
		}
		<-ticker.C
	}
}
