package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/myuser/db-operator/devcluster/mount"
)

// mountedRoot is where / is mounted once more in a chroot.
const mountedRoot = "/run/devcluster-root"

// root is the mount that programs take for their root, "" for /. Containers can
// be made and entered only where / is the root of the mount namespace, which it
// is not in a chroot: there programs get a namespace in which it is.
func root() string {
	if isMountPoint("/") && !inChroot() {
		return ""
	}
	return mountedRoot
}

// inChroot tells whether this process has another root than the first one. When
// that cannot be seen, it is taken for the same.
func inChroot() bool {
	var first, own unix.Stat_t
	if unix.Stat("/proc/1/root/", &first) != nil || unix.Stat("/", &own) != nil {
		return false
	}
	return first.Dev != own.Dev || first.Ino != own.Ino
}

// mountRoot mounts / at mountedRoot where that is needed. The mounts are
// private, so that removing them touches no others, but for the cluster's
// folder: it is shared, so that what either side mounts there both see.
func (c *Cluster) mountRoot() error {
	if root() == "" || isMountPoint(mountedRoot) {
		return nil
	}
	inside := filepath.Join(mountedRoot, c.Plan.Dir)
	for _, dir := range []string{c.Plan.Dir, mountedRoot} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making a root for programs: %w", err)
		}
	}
	steps := []struct {
		source, target string
		flags          uintptr
	}{
		{"/", mountedRoot, unix.MS_BIND | unix.MS_REC},
		{"", mountedRoot, unix.MS_PRIVATE | unix.MS_REC},
		{c.Plan.Dir, c.Plan.Dir, unix.MS_BIND},
		{"", c.Plan.Dir, unix.MS_PRIVATE},
		{"", c.Plan.Dir, unix.MS_SHARED},
		{c.Plan.Dir, inside, unix.MS_BIND},
	}
	for _, step := range steps {
		if err := unix.Mount(step.source, step.target, "", step.flags, ""); err != nil {
			return fmt.Errorf("making a root for programs at %s: %w", step.target, err)
		}
	}
	return nil
}

// unmountAll removes all mounts of the cluster. It is idempotent.
func (c *Cluster) unmountAll() error {
	failed := errors.Join(mount.RemoveBelow(mountedRoot), mount.RemoveBelow(c.Plan.Dir))
	if err := os.Remove(mountedRoot); err != nil && !errors.Is(err, fs.ErrNotExist) {
		failed = errors.Join(failed, fmt.Errorf("removing the root of programs: %w", err))
	}
	return failed
}

// isMountPoint tells whether a file system is mounted exactly at path.
func isMountPoint(path string) bool {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_BASIC_STATS, &stat)
	return err == nil && stat.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
}
