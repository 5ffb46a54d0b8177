package cluster

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/myuser/db-operator/devcluster/cgroup"
)

// mountCgroups mounts the control groups where nothing has, as in a chroot
// whose /sys was bound without its submounts. What the kernel has attached to
// v1 hierarchies stays there; else v2 is mounted.
func (c *Cluster) mountCgroups() error {
	if _, err := cgroup.Detect(cgroup.Root); err == nil {
		return nil
	}
	hierarchies, err := v1Hierarchies("/proc/self/cgroup")
	if err != nil {
		return err
	}
	c.State.OwnCgroups = true
	if len(hierarchies) == 0 {
		if err := unix.Mount("cgroup2", cgroup.Root, "cgroup2", 0, ""); err != nil {
			return fmt.Errorf("mounting control groups: %w", err)
		}
		return nil
	}
	if err := unix.Mount("tmpfs", cgroup.Root, "tmpfs", 0, "mode=755"); err != nil {
		return fmt.Errorf("mounting control groups: %w", err)
	}
	for _, controllers := range hierarchies {
		dir := filepath.Join(cgroup.Root, strings.TrimPrefix(controllers, "name="))
		if err := os.Mkdir(dir, 0o755); err != nil {
			return fmt.Errorf("mounting control groups: %w", err)
		}
		if err := unix.Mount("cgroup", dir, "cgroup", 0, controllers); err != nil {
			return fmt.Errorf("mounting the control groups of %s: %w", controllers, err)
		}
	}
	return nil
}

// v1Hierarchies reads the mount options of the v1 hierarchies in use.
func v1Hierarchies(path string) ([]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the control groups of this process: %w", err)
	}
	defer file.Close()
	var found []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		// NUMBER:CONTROLLERS:PATH; v2 is number 0 without controllers.
		parts := strings.SplitN(lines.Text(), ":", 3)
		if len(parts) == 3 && parts[1] != "" {
			found = append(found, parts[1])
		}
	}
	return found, lines.Err()
}

func (c *Cluster) unmountCgroups() error {
	if !c.State.OwnCgroups {
		return nil
	}
	entries, _ := os.ReadDir(cgroup.Root)
	for _, entry := range entries {
		_ = unix.Unmount(filepath.Join(cgroup.Root, entry.Name()), unix.MNT_DETACH)
	}
	if err := unix.Unmount(cgroup.Root, unix.MNT_DETACH); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("unmounting control groups: %w", err)
	}
	return nil
}
