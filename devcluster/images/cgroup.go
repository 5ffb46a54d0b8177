package images

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const cgroupMount = "/sys/fs/cgroup"

// A cgroup holds the processes of one run, so that they see their memory limit
// where a pod's would. An empty path means that the machine does not let us make
// one; then there is no limit to see.
type cgroup struct {
	path string
	v2   bool
}

// newCgroup makes a cgroup with a memory limit in bytes, 0 for none.
func newCgroup(limit int64) (cgroup, error) {
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return cgroup{}, fmt.Errorf("finding the cgroup of this process: %w", err)
	}
	group := cgroupFor(string(own), dirExists(filepath.Join(cgroupMount, "memory")))
	removeEmptyCgroups(filepath.Dir(group.path))
	if err := os.Mkdir(group.path, 0o755); err != nil {
		if limit > 0 {
			return cgroup{}, fmt.Errorf("making a cgroup for the memory limit: %w", err)
		}
		return cgroup{}, nil
	}
	if limit > 0 {
		if err := group.limit(limit); err != nil {
			group.remove()
			return cgroup{}, err
		}
	}
	return group, nil
}

// cgroupFor says where the cgroup of this run belongs: in v1 below the one of
// this process, so that outer limits hold; in v2 below the root, since a v2
// cgroup with processes can have no limited children.
func cgroupFor(own string, v1 bool) cgroup {
	name := "devcluster-run-" + strconv.Itoa(os.Getpid())
	if !v1 {
		return cgroup{path: filepath.Join(cgroupMount, name), v2: true}
	}
	for _, line := range strings.Split(own, "\n") {
		fields := strings.SplitN(line, ":", 3)
		if len(fields) == 3 && contains(strings.Split(fields[1], ","), "memory") {
			return cgroup{path: filepath.Join(cgroupMount, "memory", fields[2], name)}
		}
	}
	return cgroup{path: filepath.Join(cgroupMount, "memory", name)}
}

// removeEmptyCgroups removes those of runs that were killed. The kernel refuses
// to remove one that is in use.
func removeEmptyCgroups(parent string) {
	names, _ := filepath.Glob(filepath.Join(parent, "devcluster-run-*"))
	for _, name := range names {
		pid := strings.TrimPrefix(filepath.Base(name), "devcluster-run-")
		if !dirExists("/proc/" + pid) {
			os.Remove(name)
		}
	}
}

func (c cgroup) limit(bytes int64) error {
	name := "memory.limit_in_bytes"
	if c.v2 {
		name = "memory.max"
		// Fails when it is on already or cannot be; the write below tells.
		os.WriteFile(filepath.Join(filepath.Dir(c.path), "cgroup.subtree_control"), []byte("+memory"), 0o644)
	}
	if err := os.WriteFile(filepath.Join(c.path, name), []byte(strconv.FormatInt(bytes, 10)), 0o644); err != nil {
		return fmt.Errorf("setting the memory limit: %w", err)
	}
	return nil
}

func (c cgroup) add(pid int) error {
	if c.path == "" {
		return nil
	}
	return os.WriteFile(filepath.Join(c.path, "cgroup.procs"), []byte(strconv.Itoa(pid)), 0o644)
}

// remove is best effort: what remains is removed by a later run.
func (c cgroup) remove() {
	if c.path != "" {
		os.Remove(c.path)
	}
}

func dirExists(name string) bool {
	info, err := os.Stat(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return true // it may be there; do not act as if it were gone
	}
	return err == nil && info.IsDir()
}
