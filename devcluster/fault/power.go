// Package fault breaks nodes and pods of a running cluster on purpose, and
// mends them. Every function proves its effect before it returns: what it says
// is so. Faults of volumes are in package volume.
package fault

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/myuser/db-operator/devcluster/cgroup"
	"github.com/myuser/db-operator/devcluster/cluster"
	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/mount"
	"github.com/myuser/db-operator/devcluster/netns"
	"github.com/myuser/db-operator/devcluster/plan"
)

const (
	proofTimeout = 60 * time.Second
	pollInterval = 20 * time.Millisecond
)

// StopNode is a power failure: the link goes down and all processes of the node
// end at one instant, without a word to anyone. The kernel lives on, so writes
// that were not synced survive; see volume.Disk.Snapshot for those that do not.
// It returns when no process is left. It is idempotent.
func StopNode(ctx context.Context, n plan.Node) error {
	tree, err := cgroup.Detect(cgroup.Root)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, proofTimeout)
	defer cancel()
	if err := Unplug(ctx, n); err != nil {
		return err
	}
	if err := tree.Kill(ctx, n.Group()); err != nil {
		return fmt.Errorf("powering off %s: %w", n.Name(), err)
	}
	state, err := os.ReadFile(filepath.Join("/sys/class/net", n.Link(), "operstate"))
	if err != nil {
		return fmt.Errorf("looking at the link of %s: %w", n.Name(), err)
	}
	if got := strings.TrimSpace(string(state)); got != "down" {
		return fmt.Errorf("the link of %s is %s after it was taken down", n.Name(), got)
	}
	return nil
}

// Unplug takes the node's link down, so that nothing which happens to its
// processes afterwards reaches anyone. StartNode plugs it in again.
func Unplug(ctx context.Context, n plan.Node) error {
	if _, err := netns.Run(ctx, "", "", "ip", "link", "set", n.Link(), "down"); err != nil {
		return fmt.Errorf("taking the link of %s down: %w", n.Name(), err)
	}
	return nil
}

// StartNode powers a stopped node on. What a reboot loses is lost: mounts, pod
// networks, control groups of pods, packet filters of kube-proxy, connection
// tracking. A cut or loss stays: it is the network's. It returns when kubelet
// has renewed its lease and the node is Ready; while the API server is stopped
// or the node is cut from it, when kubelet answers. It is idempotent.
func StartNode(ctx context.Context, c *cluster.Cluster, n plan.Node) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	begin := time.Now()
	if len(tree.Pids(n.Group())) == 0 {
		if err := forget(ctx, tree, n); err != nil {
			return err
		}
	}
	if _, err := netns.Run(ctx, "", "", "ip", "link", "set", n.Link(), "up"); err != nil {
		return fmt.Errorf("taking the link of %s up: %w", n.Name(), err)
	}
	if err := c.StartNodePrograms(ctx, n); err != nil {
		return err
	}
	if !c.APIServerAlive() || Disturbed(ctx, n) {
		return awaitKubelet(ctx, n)
	}
	client, err := c.Client("admin")
	if err != nil {
		return err
	}
	return awaitReady(ctx, client, n, begin)
}

// forget removes what does not survive a reboot.
func forget(ctx context.Context, tree *cgroup.Tree, n plan.Node) error {
	for _, dir := range []string{n.ContainerdState(), n.Kubelet()} {
		if err := mount.RemoveBelow(dir); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(n.ContainerdState()); err != nil {
		return fmt.Errorf("clearing containerd's state: %w", err)
	}
	if err := os.MkdirAll(n.ContainerdState(), 0o755); err != nil {
		return fmt.Errorf("clearing containerd's state: %w", err)
	}
	if err := tree.Remove(ctx, n.PodsGroup()); err != nil {
		return err
	}
	tables, err := netns.Run(ctx, n.Netns(), "", "nft", "list", "tables")
	if err != nil {
		return err
	}
	var script strings.Builder
	for line := range strings.Lines(tables) {
		if !strings.Contains(line, cutTable) && !strings.Contains(line, lossTable) {
			fmt.Fprintln(&script, "delete", strings.TrimSpace(line))
		}
	}
	if _, err := netns.Run(ctx, n.Netns(), script.String(), "nft", "-f", "-"); err != nil {
		return err
	}
	_, err = netns.Run(ctx, n.Netns(), "", "conntrack", "-F")
	return err
}

// awaitReady needs a lease that is younger than the start: the condition alone
// may be from before the power failure.
func awaitReady(ctx context.Context, client *kube.Client, n plan.Node, since time.Time) error {
	return await(ctx, n.Name()+" to be Ready", func(ctx context.Context) error {
		var lease struct {
			Spec struct{ RenewTime time.Time }
		}
		if err := client.Get(ctx, "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/"+n.Name(), &lease); err != nil {
			return err
		}
		if lease.Spec.RenewTime.Before(since) {
			return fmt.Errorf("the last lease is from %s", lease.Spec.RenewTime.Format(time.TimeOnly))
		}
		var node kube.Node
		if err := client.Get(ctx, "/api/v1/nodes/"+n.Name(), &node); err != nil {
			return err
		}
		if !node.Ready() {
			return fmt.Errorf("its condition Ready is not True")
		}
		return nil
	})
}

// awaitKubelet asks kubelet itself, inside the node.
func awaitKubelet(ctx context.Context, n plan.Node) error {
	client := http.Client{Transport: &http.Transport{DialContext: dialIn(n.Netns()), DisableKeepAlives: true}}
	return await(ctx, "kubelet of "+n.Name()+" to answer", func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://127.0.0.1:10248/healthz", nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("it answers %s", response.Status)
		}
		return nil
	})
}

// await calls check until it succeeds, at most proofTimeout.
func await(ctx context.Context, what string, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, proofTimeout, fmt.Errorf("it took more than %s", proofTimeout))
	defer cancel()
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		attempt, done := context.WithTimeout(ctx, 3*time.Second)
		err := check(attempt)
		done()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w: %w", what, context.Cause(ctx), err)
		case <-ticker.C:
		}
	}
}
