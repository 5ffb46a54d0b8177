package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// benchCold starts the local cluster from nothing: no module, no compiled
// package, no image. It takes many minutes and runs only when it is named.
func benchCold(ctx context.Context, c *cluster, _ options) ([]result, error) {
	if err := c.run(ctx, "down"); err != nil {
		return nil, err
	}
	empty, err := os.MkdirTemp("", "bench-cold-")
	if err != nil {
		return nil, err
	}
	// Files of the module cache are read-only, which RemoveAll does not mind.
	defer os.RemoveAll(empty)
	start := time.Now()
	for _, args := range [][]string{{"components", "build"}, {"image", "build"}, {"up"}} {
		command := exec.CommandContext(ctx, c.tool, args...)
		command.Env = append(os.Environ(), "XDG_CACHE_HOME="+empty, "GOCACHE="+filepath.Join(empty, "go-build"), "GOMODCACHE="+filepath.Join(empty, "mod"))
		command.Stdout, command.Stderr = os.Stdout, os.Stderr
		if err := command.Run(); err != nil {
			return nil, fmt.Errorf("%s %v: %w", c.tool, args, err)
		}
	}
	took := time.Since(start)
	return []result{summarise("cluster_up_cold_min", "", 3, "min", []float64{took.Minutes()})}, c.run(ctx, "down")
}
