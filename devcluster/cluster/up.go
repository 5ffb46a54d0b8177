package cluster

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/myuser/db-operator/devcluster/components"
	"github.com/myuser/db-operator/devcluster/imagestore"
	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/plan"
)

// groupShares weighs each node and the control plane eight times a usual
// process, so that a build elsewhere on the machine does not disturb timings.
const groupShares = 8192

// Up makes a cluster of count nodes with the images in the given
// docker-archives, or adds what is missing to the one that is there. It blocks
// until every node is Ready and is idempotent. After an error the cluster is
// left as it is, for a look at its logs or another Up.
func (c *Cluster) Up(ctx context.Context, count int, tars []string) error {
	if count < 0 || count > plan.MaxNodes {
		return fmt.Errorf("a cluster has 0 to %d nodes, not %d", plan.MaxNodes, count)
	}
	if c.State.Complete && count < c.State.Nodes {
		return fmt.Errorf("the cluster has %d nodes and cannot shrink to %d; `devcluster down` first", c.State.Nodes, count)
	}
	fresh := !c.State.Complete
	if err := components.InstallPackages(ctx, c.out, components.RunPackages); err != nil {
		return err
	}
	if err := c.set.Build(ctx, c.out); err != nil {
		return err
	}
	template, err := c.template(ctx, tars)
	if err != nil {
		return err
	}
	// From here on is what counts as the start of the cluster itself.
	begin := time.Now()
	c.State.Nodes = max(count, c.State.Nodes)
	if err := c.start(ctx, template); err != nil {
		return err
	}
	c.State.Complete = true
	if fresh {
		c.State.UpSeconds = time.Since(begin).Seconds()
	}
	return c.saveState()
}

func (c *Cluster) template(ctx context.Context, tars []string) (string, error) {
	pause, err := imagestore.Pause(c.set.Dir(), plan.PauseImage, c.Binary("pause"))
	if err != nil {
		return "", err
	}
	var template string
	err = c.out.Step(fmt.Sprintf("image template (%d images)", len(tars)+1), func() error {
		template, err = c.store().Template(ctx, append([]string{pause}, tars...))
		return err
	})
	if err == nil && !c.Exists() {
		err = c.store().Prune(template)
	}
	return template, err
}

func (c *Cluster) start(ctx context.Context, template string) error {
	err := c.out.Step("machine: control groups, folders, network", func() error { return c.prepareMachine(ctx) })
	if err != nil {
		return err
	}
	if err := c.configureControl(); err != nil {
		return err
	}
	// Nodes need no API server until kubelet starts.
	tasks := []func(context.Context) error{func(ctx context.Context) error {
		return c.out.Step("etcd and API server ready", func() error { return c.startAPI(ctx) })
	}}
	for _, n := range c.Nodes() {
		tasks = append(tasks, func(ctx context.Context) error {
			return c.out.Step(n.Name()+": network, images, containerd", func() error { return c.prepareNode(ctx, n, template) })
		})
	}
	if err := together(ctx, tasks...); err != nil {
		return err
	}
	client, err := c.Client("admin")
	if err != nil {
		return err
	}
	if err := c.startControllers(); err != nil {
		return err
	}
	for _, n := range c.Nodes() {
		if err := c.startKubelet(n); err != nil {
			return err
		}
	}
	if err := c.startServices(); err != nil {
		return err
	}
	err = c.out.Step("storage classes and DNS service", func() error { return c.applyObjects(ctx, client) })
	if err != nil {
		return err
	}
	return c.out.Step(fmt.Sprintf("%d nodes Ready, service accounts, DNS", c.State.Nodes), func() error {
		return together(ctx,
			func(ctx context.Context) error { return c.awaitNodes(ctx, client) },
			func(ctx context.Context) error { return awaitServiceAccounts(ctx, client) },
			awaitDNS,
		)
	})
}

// prepareMachine makes what all nodes share.
func (c *Cluster) prepareMachine(ctx context.Context) error {
	// The state comes first: it is how `down` knows what to undo.
	if _, err := os.Stat("/run/containerd"); os.IsNotExist(err) {
		c.State.OwnRun = true
	}
	if err := c.mountCgroups(); err != nil {
		return err
	}
	if err := c.saveState(); err != nil {
		return err
	}
	if err := c.mountRoot(); err != nil {
		return err
	}
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	if err := tree.Create(plan.ControlGroup); err != nil {
		return err
	}
	if err := tree.SetShares(plan.ControlGroup, groupShares); err != nil {
		return err
	}
	// The group of all stands for its members against the rest of the machine.
	if err := tree.SetShares(plan.Group, groupShares*uint64(c.State.Nodes+1)); err != nil {
		return err
	}
	return c.hostNetwork(ctx)
}

func (c *Cluster) awaitNodes(ctx context.Context, client *kube.Client) error {
	err := await(ctx, "all nodes to be Ready", func(ctx context.Context) error {
		var nodes kube.List[kube.Node]
		if err := client.Get(ctx, "/api/v1/nodes", &nodes); err != nil {
			return err
		}
		ready := 0
		for _, node := range nodes.Items {
			if node.Ready() {
				ready++
			}
		}
		if ready < c.State.Nodes {
			return fmt.Errorf("%d of %d nodes are Ready", ready, c.State.Nodes)
		}
		return nil
	})
	if err != nil && c.State.Nodes > 0 {
		log := c.Nodes()[0].Log(kubelet)
		return fmt.Errorf("%w\n%s ends with:\n%s", err, log, lastLines(log, 8))
	}
	return err
}

// awaitServiceAccounts waits for the last thing without which no pod can be
// created.
func awaitServiceAccounts(ctx context.Context, client *kube.Client) error {
	return await(ctx, "the default service account", func(ctx context.Context) error {
		return client.Get(ctx, "/api/v1/namespaces/default/serviceaccounts/default", nil)
	})
}
