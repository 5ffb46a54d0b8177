package cgroup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Usage is what the processes of a group take.
type Usage struct {
	RSS       int64 // bytes, the sum over processes: shared pages count in each
	PSS       int64 // bytes, shared pages divided among their users
	Processes int
}

// Usage sums over the group and all groups below it. Processes that end
// meanwhile count as nothing.
func (t *Tree) Usage(group string) Usage {
	var usage Usage
	for _, pid := range t.Pids(group) {
		rollup, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "smaps_rollup"))
		if err != nil {
			continue
		}
		usage.Processes++
		usage.RSS += kilobytes(string(rollup), "Rss:")
		usage.PSS += kilobytes(string(rollup), "Pss:")
	}
	return usage
}

func kilobytes(rollup, name string) int64 {
	for line := range strings.Lines(rollup) {
		fields := strings.Fields(line)
		if len(fields) >= 2 && fields[0] == name {
			value, _ := strconv.ParseInt(fields[1], 10, 64)
			return value * 1024
		}
	}
	return 0
}

// CPUTime is the CPU time that the group and all below it have used so far.
// Zero when the hierarchy does not count it.
func (t *Tree) CPUTime(group string) time.Duration {
	if t.V2 {
		stat, _ := os.ReadFile(filepath.Join(t.main(), group, "cpu.stat"))
		for line := range strings.Lines(string(stat)) {
			if value, found := strings.CutPrefix(line, "usage_usec "); found {
				microseconds, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
				return time.Duration(microseconds) * time.Microsecond
			}
		}
		return 0
	}
	usage, _ := os.ReadFile(filepath.Join(t.with("cpuacct"), group, "cpuacct.usage"))
	nanoseconds, _ := strconv.ParseInt(strings.TrimSpace(string(usage)), 10, 64)
	return time.Duration(nanoseconds)
}
