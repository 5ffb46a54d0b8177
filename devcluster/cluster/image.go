package cluster

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/myuser/db-operator/devcluster/imagestore"
)

// LoadImage puts the images of a docker-archive on every node that runs, all at
// the same time, and returns when pods can use them. An image of the same name
// is replaced; containers that run keep the old one.
func (c *Cluster) LoadImage(ctx context.Context, tar string) error {
	tar, err := filepath.Abs(tar)
	if err != nil {
		return fmt.Errorf("finding the image file: %w", err)
	}
	var tasks []func(context.Context) error
	for _, n := range c.Nodes() {
		if !c.Processes.Alive(n.Process(containerd)) {
			c.out.Printf("  %s is powered off and does not get the image", n.Name())
			continue
		}
		tasks = append(tasks, func(ctx context.Context) error {
			if err := c.store().Import(ctx, n.ContainerdSocket(), tar); err != nil {
				return fmt.Errorf("loading into %s: %w", n.Name(), err)
			}
			return nil
		})
	}
	return together(ctx, tasks...)
}

// store is where this cluster's images come from.
func (c *Cluster) store() imagestore.Store {
	return imagestore.Store{
		Dir:        filepath.Join(c.cacheDir, "templates"),
		Containerd: c.Binary("containerd"),
		Ctr:        c.Binary("ctr"),
	}
}
