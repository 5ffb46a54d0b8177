package cluster

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/myuser/db-operator/devcluster/config"
	"github.com/myuser/db-operator/devcluster/imagestore"
	"github.com/myuser/db-operator/devcluster/plan"
	"github.com/myuser/db-operator/devcluster/process"
)

// Programs of a node.
const (
	containerd = "containerd"
	kubelet    = "kubelet"
	proxy      = "kube-proxy"
)

// prepareNode makes a node's control group, network and files, lays the images
// and starts containerd. It needs no API server.
func (c *Cluster) prepareNode(ctx context.Context, n plan.Node, template string) error {
	if err := c.nodeGroups(n); err != nil {
		return err
	}
	if err := c.nodeNetwork(ctx, n); err != nil {
		return err
	}
	if err := c.configureNode(n); err != nil {
		return err
	}
	if _, err := os.Stat(n.ContainerdRoot()); os.IsNotExist(err) {
		stage := n.ContainerdRoot() + ".stage"
		if err := os.RemoveAll(stage); err != nil {
			return fmt.Errorf("clearing an unfinished containerd root: %w", err)
		}
		if err := imagestore.Lay(template, stage); err != nil {
			return err
		}
		if err := os.Rename(stage, n.ContainerdRoot()); err != nil {
			return fmt.Errorf("laying the images of %s: %w", n.Name(), err)
		}
	}
	return c.startContainerd(ctx, n)
}

func (c *Cluster) nodeGroups(n plan.Node) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	if err := tree.Create(n.SystemGroup()); err != nil {
		return err
	}
	return tree.SetShares(n.Group(), groupShares)
}

func (c *Cluster) startContainerd(ctx context.Context, n plan.Node) error {
	if err := c.startOnNode(n, containerd, config.ContainerdCommand(n, c.Binary)); err != nil {
		return err
	}
	if err := imagestore.AwaitSocket(ctx, n.ContainerdSocket()); err != nil {
		return fmt.Errorf("%w\n%s", err, lastLines(n.Log(containerd), 8))
	}
	return nil
}

// startKubelet starts kubelet and kube-proxy; containerd must serve.
func (c *Cluster) startKubelet(n plan.Node) error {
	if err := c.startOnNode(n, kubelet, config.KubeletCommand(n, c.Binary)); err != nil {
		return err
	}
	return c.startOnNode(n, proxy, config.ProxyCommand(n, c.Binary))
}

// StartNodePrograms starts what a node runs, containerd first, and returns when
// all have been started. It is idempotent.
func (c *Cluster) StartNodePrograms(ctx context.Context, n plan.Node) error {
	if err := c.nodeGroups(n); err != nil {
		return err
	}
	if err := c.startContainerd(ctx, n); err != nil {
		return err
	}
	return c.startKubelet(n)
}

func (c *Cluster) startOnNode(n plan.Node, program string, args []string) error {
	_, err := c.Processes.Ensure(process.Spec{
		Name: n.Process(program), Args: args, Netns: n.Netns(), Cgroup: n.SystemGroup(), Root: root(), Log: n.Log(program),
		// The shim and runc are found through PATH.
		Env: []string{"PATH=" + c.set.Dir() + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
	})
	return err
}

func lastLines(path string, count int) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(content)), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
