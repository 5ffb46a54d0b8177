package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/myuser/db-operator/devcluster/mount"
	"github.com/myuser/db-operator/devcluster/plan"
	"github.com/myuser/db-operator/devcluster/volume"
)

const downTimeout = 60 * time.Second

// Down removes everything that Up made: processes, mounts, loop devices,
// control groups, network, files. It does as much as it can whatever state it
// finds, also after a crash or a restart of the machine, and is idempotent. The
// cache stays.
func (c *Cluster) Down(ctx context.Context) error {
	ctx, cancel := context.WithTimeoutCause(ctx, downTimeout, fmt.Errorf("it took more than %s", downTimeout))
	defer cancel()
	steps := []struct {
		name string
		do   func(context.Context) error
	}{
		{"thawing file systems", c.thawVolumes},
		{"ending processes", c.endProcesses},
		{"unmounting", func(context.Context) error { return c.unmountAll() }},
		{"removing control groups", c.removeGroups},
		{"removing the network", c.removeNetwork},
		{"removing files", c.removeFiles},
	}
	var failed error
	for _, step := range steps {
		failed = errors.Join(failed, c.out.Step(step.name, func() error { return step.do(ctx) }))
	}
	if failed == nil {
		c.State = State{}
	}
	return failed
}

// thawVolumes comes first: a process that waits for a frozen file system
// cannot be killed.
func (c *Cluster) thawVolumes(context.Context) error {
	points, err := mount.Below(c.Plan.Dir)
	if err != nil {
		return err
	}
	for _, point := range points {
		if point.FSType == "xfs" {
			volume.ThawFileSystem(point.Path)
		}
	}
	return nil
}

func (c *Cluster) endProcesses(ctx context.Context) error {
	var failed error
	// Those that crashed between their start and their entry into a group.
	for _, name := range c.Processes.Names() {
		if pid := c.Processes.PID(name); pid != 0 {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	tree, err := c.Tree()
	if err != nil {
		return nil // without control groups nothing of ours can run
	}
	failed = errors.Join(failed, tree.Kill(ctx, plan.Group))
	return failed
}

func (c *Cluster) removeGroups(ctx context.Context) error {
	tree, err := c.Tree()
	if err != nil {
		return nil
	}
	return errors.Join(tree.Remove(ctx, plan.Group), c.unmountCgroups())
}

func (c *Cluster) removeFiles(context.Context) error {
	if c.State.OwnRun {
		if err := os.RemoveAll("/run/containerd"); err != nil {
			return fmt.Errorf("removing containerd's sockets: %w", err)
		}
	}
	// Never walk into a mount: volumes and images are behind them.
	points, err := mount.Below(c.Plan.Dir)
	if err != nil {
		return err
	}
	if len(points) > 0 {
		return fmt.Errorf("not removing %s: %s is still mounted", c.Plan.Dir, points[0].Path)
	}
	if err := os.RemoveAll(c.Plan.Dir); err != nil {
		return fmt.Errorf("removing the cluster's folder: %w", err)
	}
	return nil
}
