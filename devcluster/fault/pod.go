package fault

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/devcluster/cgroup"
	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/plan"
)

// Pod is a pod on a node of the cluster.
type Pod struct {
	Name  string // namespace/name
	tree  *cgroup.Tree
	group string
}

// FindPod looks a pod up and finds its control group. It fails when the pod has
// no processes yet.
func FindPod(ctx context.Context, client *kube.Client, tree *cgroup.Tree, node func(string) (plan.Node, error), namespace, name string) (Pod, error) {
	var pod kube.Pod
	if err := client.Get(ctx, "/api/v1/namespaces/"+namespace+"/pods/"+name, &pod); err != nil {
		return Pod{}, err
	}
	full := namespace + "/" + name
	if pod.Spec.NodeName == "" {
		return Pod{}, fmt.Errorf("pod %s is on no node yet", full)
	}
	n, err := node(pod.Spec.NodeName)
	if err != nil {
		return Pod{}, err
	}
	groups := tree.Find(n.PodsGroup(), "pod"+pod.Metadata.UID)
	if len(groups) == 0 {
		return Pod{}, fmt.Errorf("pod %s has no processes on %s", full, n.Name())
	}
	return Pod{Name: full, tree: tree, group: groups[0]}, nil
}

// Freeze makes all processes of the pod stand still: to others it hangs. While
// it is frozen nothing can end its processes, kubelet included. It returns when
// the pod uses no CPU any more. It is idempotent.
func (p Pod) Freeze(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	if err := p.tree.Freeze(ctx, p.group); err != nil {
		return fmt.Errorf("freezing pod %s: %w", p.Name, err)
	}
	before := p.tree.CPUTime(p.group)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(100 * time.Millisecond):
	}
	if used := p.tree.CPUTime(p.group) - before; used > 0 {
		return fmt.Errorf("pod %s used %s of CPU while frozen", p.Name, used)
	}
	return nil
}

// Thaw lets the pod go on. It is idempotent.
func (p Pod) Thaw(ctx context.Context) error {
	if err := p.tree.Thaw(p.group); err != nil {
		return fmt.Errorf("thawing pod %s: %w", p.Name, err)
	}
	return await(ctx, "pod "+p.Name+" to be thawed", func(context.Context) error {
		if p.tree.Frozen(p.group) {
			return fmt.Errorf("it is frozen")
		}
		return nil
	})
}

// Kill sends a signal to all processes of the pod whose program is called
// program, and returns their number. With SIGKILL it returns when they are gone.
// No such process is an error.
func (p Pod) Kill(ctx context.Context, program string, signal syscall.Signal) (int, error) {
	var hit []int
	for _, pid := range p.tree.Pids(p.group) {
		if programOf(pid) == program {
			hit = append(hit, pid)
		}
	}
	if len(hit) == 0 {
		return 0, fmt.Errorf("pod %s runs no program %q", p.Name, program)
	}
	for _, pid := range hit {
		if err := syscall.Kill(pid, signal); err != nil && err != syscall.ESRCH {
			return 0, fmt.Errorf("signalling process %d of pod %s: %w", pid, p.Name, err)
		}
	}
	if signal != syscall.SIGKILL {
		return len(hit), nil
	}
	return len(hit), await(ctx, "the processes to be gone", func(context.Context) error {
		for _, pid := range hit {
			if programOf(pid) == program && !isZombie(pid) {
				return fmt.Errorf("process %d lives", pid)
			}
		}
		return nil
	})
}

// programOf is the base name of a process's first argument, without what a
// program adds to its title.
func programOf(pid int) string {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return ""
	}
	first, _, _ := strings.Cut(string(content), "\x00")
	first, _, _ = strings.Cut(first, ": ")
	first, _, _ = strings.Cut(first, " ")
	return filepath.Base(first)
}

func isZombie(pid int) bool {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || strings.Contains(string(content), ") Z ")
}
