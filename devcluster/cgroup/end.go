package cgroup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const pollInterval = 5 * time.Millisecond

// Pids lists the processes of the group and of all groups below it.
func (t *Tree) Pids(group string) []int {
	var pids []int
	_ = filepath.WalkDir(filepath.Join(t.main(), group), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() != "cgroup.procs" {
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil // the group has just been removed
		}
		for _, field := range strings.Fields(string(content)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids
}

// Freeze stops every process of the group and below, and returns when the
// kernel says that all of them stand still. It is idempotent.
func (t *Tree) Freeze(ctx context.Context, group string) error {
	if t.V2 {
		if err := t.writeIn(t.main(), group, "cgroup.freeze", "1"); err != nil {
			return err
		}
	} else if err := t.writeIn(t.main(), group, "freezer.state", "FROZEN"); err != nil {
		return err
	}
	return t.await(ctx, "all processes of "+group+" frozen", func() bool { return t.Frozen(group) })
}

// Thaw undoes Freeze, also for groups below that were frozen on their own.
func (t *Tree) Thaw(group string) error {
	var failed error
	file, value := "freezer.state", "THAWED"
	if t.V2 {
		file, value = "cgroup.freeze", "0"
	}
	_ = filepath.WalkDir(filepath.Join(t.main(), group), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			if err := write(filepath.Join(path, file), value); err != nil && !errors.Is(err, fs.ErrNotExist) {
				failed = errors.Join(failed, fmt.Errorf("thawing %s: %w", path, err))
			}
		}
		return nil
	})
	return failed
}

// Frozen tells whether all processes of the group stand still.
func (t *Tree) Frozen(group string) bool {
	if t.V2 {
		events, err := os.ReadFile(filepath.Join(t.main(), group, "cgroup.events"))
		return err == nil && slices.Contains(strings.Split(string(events), "\n"), "frozen 1")
	}
	state, err := os.ReadFile(filepath.Join(t.main(), group, "freezer.state"))
	return err == nil && strings.TrimSpace(string(state)) == "FROZEN"
}

// Kill ends every process of the group and below at one instant: they are
// frozen first, so none sees another die, restarts it or sends a farewell. It
// returns when no process is left. A process that waits for a frozen file
// system cannot be killed: Kill then fails when ctx ends.
func (t *Tree) Kill(ctx context.Context, group string) error {
	if !t.Exists(group) {
		return nil
	}
	if t.V2 {
		if err := t.writeIn(t.main(), group, "cgroup.kill", "1"); err != nil {
			return err
		}
	} else {
		// A member in uninterruptible sleep keeps the state at FREEZING; the
		// others stand still all the same.
		freezing, cancel := context.WithTimeout(ctx, 2*time.Second)
		_ = t.Freeze(freezing, group)
		cancel()
		for _, pid := range t.Pids(group) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if err := t.Thaw(group); err != nil {
		return err
	}
	return t.await(ctx, "the processes of "+group+" gone", func() bool {
		pids := t.Pids(group)
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(pids) == 0
	})
}

// Remove removes the group and all below it, which must be without processes,
// from every hierarchy. It is idempotent.
func (t *Tree) Remove(ctx context.Context, group string) error {
	var last error
	err := t.await(ctx, "control group "+group+" removed", func() bool {
		last = nil
		for _, hierarchy := range append(slices.Clone(t.hierarchies), t.foreign...) {
			last = errors.Join(last, removeTree(filepath.Join(hierarchy, group)))
		}
		return last == nil
	})
	return errors.Join(err, last)
}

func removeTree(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		if entry.IsDir() {
			if err := removeTree(filepath.Join(dir, entry.Name())); err != nil {
				return err
			}
		}
	}
	if err := syscall.Rmdir(dir); err != nil && err != syscall.ENOENT {
		return fmt.Errorf("removing %s: %w", dir, err)
	}
	return nil
}

func (t *Tree) await(ctx context.Context, what string, done func() bool) error {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for !done() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w", what, ctx.Err())
		case <-ticker.C:
		}
	}
	return nil
}
