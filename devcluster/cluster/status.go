package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/myuser/db-operator/devcluster/cgroup"
	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/plan"
)

// Memory says what the cluster takes, in one line.
func (c *Cluster) Memory() string {
	tree, err := c.Tree()
	if err != nil {
		return err.Error()
	}
	return describe(tree.Usage(plan.Group))
}

func describe(u cgroup.Usage) string {
	return fmt.Sprintf("%d MiB (sum of RSS), %d MiB (sum of PSS) in %d processes", u.RSS>>20, u.PSS>>20, u.Processes)
}

// Status writes what runs, what each part takes, and how the nodes are.
func (c *Cluster) Status(ctx context.Context, out io.Writer) error {
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "state       %s\nkubeconfig  %s\nAPI server  %s\n", c.Plan.Dir, c.Plan.Kubeconfig(), c.Plan.APIServer())
	fmt.Fprintf(out, "last start  %.1f s\nmemory      %s\n\n", c.State.UpSeconds, c.Memory())
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PART\tRUNNING\tSTOPPED\tRSS MiB\tPSS MiB\tCPU s")
	row := func(name, group string, programs []string) {
		var running, stopped []string
		for _, program := range programs {
			short := strings.TrimPrefix(program, name+"-")
			if c.Processes.Alive(program) {
				running = append(running, short)
			} else {
				stopped = append(stopped, short)
			}
		}
		u := tree.Usage(group)
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%.0f\n", name, strings.Join(running, " "), orDash(stopped),
			u.RSS>>20, u.PSS>>20, tree.CPUTime(group).Seconds())
	}
	row("control", plan.ControlGroup, []string{etcd, apiServer, controllerManager, scheduler, coreDNS, provisioner})
	for _, n := range c.Nodes() {
		row(n.Name(), n.Group(), []string{n.Process(containerd), n.Process(kubelet), n.Process(proxy)})
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the status: %w", err)
	}
	fmt.Fprintf(out, "\nnodes Ready: %s\n", c.readyNodes(ctx))
	return nil
}

func (c *Cluster) readyNodes(ctx context.Context) string {
	client, err := c.Client("admin")
	if err != nil {
		return err.Error()
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	var nodes kube.List[kube.Node]
	if err := client.Get(ctx, "/api/v1/nodes", &nodes); err != nil {
		return "unknown: " + err.Error()
	}
	var ready []string
	for _, node := range nodes.Items {
		if node.Ready() {
			ready = append(ready, node.Metadata.Name)
		}
	}
	slices.Sort(ready)
	return orDash(ready)
}

func orDash(words []string) string {
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}
