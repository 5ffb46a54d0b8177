package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// residentMB sums the resident memory of a pod's processes of one name. All
// nodes of the local cluster are on this machine, so they are in /proc.
func residentMB(pod *corev1.Pod, name string) (float64, error) {
	paths, err := filepath.Glob("/proc/[0-9]*/cgroup")
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, path := range paths {
		// A process may end between the look and the read.
		groups, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(groups), string(pod.UID)) {
			continue
		}
		dir := filepath.Dir(path)
		comm, err := os.ReadFile(filepath.Join(dir, "comm"))
		if err != nil || strings.TrimSpace(string(comm)) != name {
			continue
		}
		statm, err := os.ReadFile(filepath.Join(dir, "statm"))
		if err != nil {
			continue
		}
		pages, err := strconv.ParseFloat(strings.Fields(string(statm))[1], 64)
		if err != nil {
			return 0, err
		}
		total += pages * float64(os.Getpagesize()) / 1e6
	}
	if total == 0 {
		return 0, fmt.Errorf("no process %s in pod %s", name, pod.Name)
	}
	return total, nil
}

// benchSize is the size of the agent's binary.
func benchSize(context.Context, *cluster, options) ([]result, error) {
	info, err := os.Stat("bin/agent")
	if err != nil {
		return nil, fmt.Errorf("run make build first: %w", err)
	}
	return []result{summarise("agent_binary_mb", "", 0, "MB", []float64{float64(info.Size()) / 1e6})}, nil
}
