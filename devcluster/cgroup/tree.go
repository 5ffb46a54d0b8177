// Package cgroup makes, freezes, empties and removes control groups, on
// cgroup v1 (every hierarchy at once) and on cgroup v2. A group is named by its
// path below the root of the hierarchies, such as "devcluster/node1". The
// package knows nothing about nodes and pods.
//
// The v2 paths are tested against a fake tree of files only.
package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Root is where Linux distributions mount control groups.
const Root = "/sys/fs/cgroup"

// Tree is the set of hierarchies of one machine.
type Tree struct {
	// V2 is true when the machine has the one unified hierarchy only.
	V2 bool
	// hierarchies are the directories in which each group is made: one on v2.
	hierarchies []string
	// foreign are hierarchies in which others (runc) make groups of the same
	// names, so that they are cleaned up there too.
	foreign []string
}

// Detect looks at what is mounted at root. It fails when there is nothing, or
// when v1 lacks the freezer, without which no fault would be exact.
func Detect(root string) (*Tree, error) {
	if exists(filepath.Join(root, "cgroup.controllers")) {
		return &Tree{V2: true, hierarchies: []string{root}}, nil
	}
	entries, err := os.ReadDir(root)
	if err != nil {
		return nil, fmt.Errorf("listing control groups: %w", err)
	}
	tree := &Tree{}
	for _, entry := range entries {
		dir := filepath.Join(root, entry.Name())
		// A symbolic link is the second name of a joint hierarchy (cpu,cpuacct).
		if !entry.IsDir() || !exists(filepath.Join(dir, "cgroup.procs")) {
			continue
		}
		if exists(filepath.Join(dir, "cgroup.controllers")) {
			tree.foreign = append(tree.foreign, dir)
		} else {
			tree.hierarchies = append(tree.hierarchies, dir)
		}
	}
	if tree.with("freezer") == "" {
		return nil, fmt.Errorf("no control groups are mounted at %s: neither v2 nor a v1 freezer", root)
	}
	return tree, nil
}

// Create makes the group and its parents in every hierarchy. It is idempotent.
func (t *Tree) Create(group string) error {
	for _, hierarchy := range t.hierarchies {
		dir := hierarchy
		for _, part := range strings.Split(group, "/") {
			parent := dir
			dir = filepath.Join(dir, part)
			if t.V2 {
				delegate(parent)
			}
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("making control group %s: %w", dir, err)
			}
			// v1 refuses processes in a cpuset without CPUs and memory
			// nodes, and new ones have none.
			for _, name := range []string{"cpuset.cpus", "cpuset.mems"} {
				if err := inherit(parent, dir, name); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// delegate turns all controllers of a v2 group on for its children. It does
// what it can: a controller that cannot be delegated is one we do not need.
func delegate(dir string) {
	controllers, err := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if err != nil {
		return
	}
	for _, name := range strings.Fields(string(controllers)) {
		_ = write(filepath.Join(dir, "cgroup.subtree_control"), "+"+name)
	}
}

func inherit(parent, dir, name string) error {
	own, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil || strings.TrimSpace(string(own)) != "" {
		return nil // not the cpuset hierarchy, or set already
	}
	value, err := os.ReadFile(filepath.Join(parent, name))
	if err != nil {
		return nil
	}
	if err := write(filepath.Join(dir, name), strings.TrimSpace(string(value))); err != nil {
		return fmt.Errorf("setting %s of %s: %w", name, dir, err)
	}
	return nil
}

// SetShares weighs the group against its siblings for CPU time, in the unit of
// v1's cpu.shares (1024 is the default). On v2 it is converted as runc does.
func (t *Tree) SetShares(group string, shares uint64) error {
	if t.V2 {
		weight := 1 + ((shares-2)*9999)/262142
		return t.writeIn(t.hierarchies[0], group, "cpu.weight", strconv.FormatUint(weight, 10))
	}
	cpu := t.with("cpu")
	if cpu == "" {
		return nil
	}
	return t.writeIn(cpu, group, "cpu.shares", strconv.FormatUint(shares, 10))
}

// Enter moves the process into the group, in every hierarchy.
func (t *Tree) Enter(group string, pid int) error {
	for _, hierarchy := range t.hierarchies {
		if err := t.writeIn(hierarchy, group, "cgroup.procs", strconv.Itoa(pid)); err != nil {
			return err
		}
	}
	return nil
}

// Find returns the groups below (and including) group whose last path element
// contains text, sorted, the shortest first.
func (t *Tree) Find(group, text string) []string {
	var found []string
	base := t.main()
	_ = filepath.WalkDir(filepath.Join(base, group), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && strings.Contains(entry.Name(), text) {
			if name, err := filepath.Rel(base, path); err == nil {
				found = append(found, name)
			}
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b string) int { return len(a) - len(b) })
	return found
}

// Exists tells whether the group is there.
func (t *Tree) Exists(group string) bool {
	return exists(filepath.Join(t.main(), group))
}

// main is the hierarchy in which every one of our processes is a member and
// which can freeze.
func (t *Tree) main() string {
	if t.V2 {
		return t.hierarchies[0]
	}
	return t.with("freezer")
}

// with is the v1 hierarchy of a controller, "" when there is none.
func (t *Tree) with(controller string) string {
	for _, dir := range t.hierarchies {
		if slices.Contains(strings.Split(filepath.Base(dir), ","), controller) {
			return dir
		}
	}
	return ""
}

func (t *Tree) writeIn(hierarchy, group, file, value string) error {
	path := filepath.Join(hierarchy, group, file)
	if err := write(path, value); err != nil {
		return fmt.Errorf("writing %s to %s: %w", value, path, err)
	}
	return nil
}

func write(path, value string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteString(value)
	return errors.Join(err, file.Close())
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
