package cluster

import (
	"context"
	"fmt"
	"time"

	"github.com/myuser/db-operator/devcluster/netns"
	"github.com/myuser/db-operator/devcluster/plan"
)

// Drain evicts the pods of a node as `kubectl drain` does, so disruption budgets
// hold, and returns when none is left. The node takes no new pods until
// Uncordon.
func (c *Cluster) Drain(ctx context.Context, n plan.Node, timeout time.Duration) error {
	return c.kubectl(ctx, "drain", n.Name(), "--ignore-daemonsets", "--delete-emptydir-data", "--timeout="+timeout.String())
}

// Uncordon lets a node take pods again. It is idempotent.
func (c *Cluster) Uncordon(ctx context.Context, n plan.Node) error {
	return c.kubectl(ctx, "uncordon", n.Name())
}

func (c *Cluster) kubectl(ctx context.Context, args ...string) error {
	args = append([]string{"--kubeconfig=" + c.Plan.Kubeconfig()}, args...)
	if _, err := netns.Run(ctx, "", "", c.Binary("kubectl"), args...); err != nil {
		return fmt.Errorf("asking the API server: %w", err)
	}
	return nil
}
