package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

var memoryLine = regexp.MustCompile(`(?m)^memory\s+(\d+) MiB \(sum of RSS\)`)

// benchDevcluster starts the local cluster again and again with a filled cache.
// It ends with a cluster that has nothing on it.
func benchDevcluster(ctx context.Context, c *cluster, o options) ([]result, error) {
	var up, idle []float64
	for range o.runs {
		if err := c.run(ctx, "down"); err != nil {
			return nil, err
		}
		start := time.Now()
		if err := c.run(ctx, "up"); err != nil {
			return nil, err
		}
		up = append(up, time.Since(start).Seconds())
		if err := rest(ctx, 20*time.Second); err != nil {
			return nil, err
		}
		status, err := exec.CommandContext(ctx, c.tool, "status").Output()
		if err != nil {
			return nil, fmt.Errorf("asking for the status: %w", err)
		}
		found := memoryLine.FindSubmatch(status)
		if found == nil {
			return nil, fmt.Errorf("the status names no memory: %s", status)
		}
		mib, err := strconv.ParseFloat(string(found[1]), 64)
		if err != nil {
			return nil, err
		}
		idle = append(idle, mib*1.048576)
		fmt.Printf("up in %.1f s, idle at %.0f MiB\n", up[len(up)-1], mib)
	}
	return []result{
		summarise("cluster_up_warm_s", "", 3, "s", up),
		summarise("cluster_idle_mb", "", 3, "MB", idle),
	}, nil
}

func (c *cluster) run(ctx context.Context, args ...string) error {
	if out, err := exec.CommandContext(ctx, c.tool, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %v: %w\n%s", c.tool, args, err, out)
	}
	return nil
}
