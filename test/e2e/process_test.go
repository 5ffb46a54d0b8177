//go:build e2e

package e2e

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// process finds the oldest process with this name in a pod. All nodes are on
// this machine, so a pod's processes are in /proc, in the pod's cgroup.
func process(pod *corev1.Pod, name string) (int, error) {
	entries, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return 0, err
	}
	oldest := 0
	for _, path := range entries {
		groups, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("looking for %s: %w", name, err)
		}
		if !strings.Contains(string(groups), string(pod.UID)) {
			continue
		}
		comm, err := os.ReadFile(filepath.Join(filepath.Dir(path), "comm"))
		if err != nil || strings.TrimSpace(string(comm)) != name {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return 0, err
		}
		if oldest == 0 || pid < oldest {
			oldest = pid
		}
	}
	if oldest == 0 {
		return 0, fmt.Errorf("no process %s in pod %s", name, pod.Name)
	}
	return oldest, nil
}

// kill ends a process of the pod with SIGKILL and returns once it is gone.
func kill(t *testing.T, pod *corev1.Pod, name string) {
	t.Helper()
	pid, err := process(pod, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("killing %s (pid %d): %v", name, pid, err)
	}
	eventually(t, 5*time.Second, fmt.Sprintf("pid %d (%s) to be gone", pid, name), func(context.Context) (bool, string) {
		// A zombie is dead too: whoever must reap it is not under test here.
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(stat), ") Z "), string(stat)
	})
}
