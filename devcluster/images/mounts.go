package images

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// deviceNodes are those that every container has.
var deviceNodes = []string{"null", "zero", "full", "random", "urandom", "tty"}

var deviceLinks = map[string]string{
	"/dev/fd": "/proc/self/fd", "/dev/stdin": "fd/0", "/dev/stdout": "fd/1", "/dev/stderr": "fd/2",
}

// A graft is a part of the machine's file tree, taken before the root changes
// and attached after it, so that the image's own symbolic links decide where.
type graft struct {
	tree   int // a file descriptor of open_tree(2)
	folder bool
	bind   Bind
}

// enterRoot makes the image's root file system, with a scratch layer over it,
// the root of this mount namespace:
//
//	overlay (read-only in the end) ── image's rootfs, shared by all runs
//	  /proc  /sys  /sys/fs/cgroup     fresh, as a pod sees them
//	  /dev   /dev/shm  /tmp  /run     tmpfs
//	  binds                           of the machine
func (s spec) enterRoot() error {
	if err := separateMounts(); err != nil {
		return fmt.Errorf("separating the mounts: %w", err)
	}
	grafts, err := s.takeGrafts()
	if err != nil {
		return err
	}
	if err := s.pivot(); err != nil {
		return err
	}
	runFolders, err := foldersOf("/run")
	if err != nil {
		return err
	}
	if err := s.mountKernel(); err != nil {
		return err
	}
	if err := s.mountTmpfs(); err != nil {
		return err
	}
	if err := remake(runFolders); err != nil {
		return err
	}
	if err := s.writeNames(); err != nil {
		return err
	}
	for _, g := range grafts {
		if err := g.attach(); err != nil {
			return err
		}
	}
	if err := unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("making the root read-only: %w", err)
	}
	return nil
}

// takeGrafts takes devices, the cgroup and the binds, in the order of their
// targets, so that a bind below another lands inside it.
func (s spec) takeGrafts() ([]graft, error) {
	var binds []Bind
	for _, node := range deviceNodes {
		binds = append(binds, Bind{Source: "/dev/" + node, Target: "/dev/" + node})
	}
	if s.Cgroup != "" {
		target := cgroupMount
		if strings.HasPrefix(s.Cgroup, cgroupMount+"/memory/") {
			target += "/memory"
		}
		binds = append(binds, Bind{Source: s.Cgroup, Target: target, ReadOnly: true})
	}
	own := slices.Clone(s.Binds)
	slices.SortFunc(own, func(a, b Bind) int { return strings.Compare(a.Target, b.Target) })
	var grafts []graft
	for _, bind := range append(binds, own...) {
		info, err := os.Stat(bind.Source)
		if err != nil {
			return nil, fmt.Errorf("looking at a bind mount: %w", err)
		}
		tree, err := unix.OpenTree(unix.AT_FDCWD, bind.Source, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return nil, fmt.Errorf("taking %s: %w", bind.Source, err)
		}
		grafts = append(grafts, graft{tree: tree, folder: info.IsDir(), bind: bind})
	}
	return grafts, nil
}

func (g graft) attach() error {
	target := g.bind.Target
	if err := makeMountPoint(target, g.folder); err != nil {
		return fmt.Errorf("making the place of %s: %w", target, err)
	}
	if err := unix.MoveMount(g.tree, "", unix.AT_FDCWD, target, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("mounting %s at %s: %w", g.bind.Source, target, err)
	}
	unix.Close(g.tree)
	if !g.bind.ReadOnly {
		return nil
	}
	if err := unix.Mount("", target, "", unix.MS_REMOUNT|unix.MS_BIND|unix.MS_RDONLY, ""); err != nil {
		return fmt.Errorf("making %s read-only: %w", target, err)
	}
	return nil
}

func makeMountPoint(target string, folder bool) error {
	if folder {
		return os.MkdirAll(target, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		return err
	}
	return file.Close()
}

// pivot puts a scratch layer in memory over the image, so that places for mounts
// can be made without touching what other runs share.
func (s spec) pivot() error {
	scratch := s.RootFS + ".mnt"
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		return fmt.Errorf("making a place to mount: %w", err)
	}
	if err := unix.Mount("scratch", scratch, "tmpfs", 0, "mode=0755,size=64m"); err != nil {
		return fmt.Errorf("mounting the scratch layer: %w", err)
	}
	upper, work, root := filepath.Join(scratch, "upper"), filepath.Join(scratch, "work"), filepath.Join(scratch, "root")
	for _, folder := range []string{upper, work, root} {
		if err := os.Mkdir(folder, 0o755); err != nil {
			return fmt.Errorf("making the scratch layer: %w", err)
		}
	}
	layers := "lowerdir=" + s.RootFS + ",upperdir=" + upper + ",workdir=" + work
	if err := unix.Mount("image", root, "overlay", 0, layers); err != nil {
		return fmt.Errorf("mounting the root file system: %w", err)
	}
	if err := os.Chdir(root); err != nil {
		return fmt.Errorf("entering the root file system: %w", err)
	}
	// Old and new root stacked on one place: see pivot_root(2).
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("changing the root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leaving the old root: %w", err)
	}
	if err := os.Chdir("/"); err != nil {
		return fmt.Errorf("entering the new root: %w", err)
	}
	return nil
}

func (s spec) mountKernel() error {
	const safe = unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC
	for _, m := range []struct {
		target, kind, data string
		flags              uintptr
	}{
		{"/proc", "proc", "", safe},
		{"/sys", "sysfs", "", safe | unix.MS_RDONLY},
		{"/sys/fs/cgroup", "tmpfs", "mode=0755,size=64k", safe},
		{"/dev", "tmpfs", "mode=0755,size=64k", unix.MS_NOSUID},
	} {
		if err := os.MkdirAll(m.target, 0o755); err != nil {
			return fmt.Errorf("making %s: %w", m.target, err)
		}
		if err := unix.Mount(m.kind, m.target, m.kind, m.flags, m.data); err != nil {
			return fmt.Errorf("mounting %s: %w", m.target, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(deviceLinks)) {
		if err := os.Symlink(deviceLinks[name], name); err != nil {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	return nil
}

// mountTmpfs mounts file systems in memory. /tmp and /dev/shm are everyone's,
// /run is root's, others belong to the user alone.
func (s spec) mountTmpfs() error {
	for _, target := range slices.Sorted(maps.Keys(s.Tmpfs)) {
		owner := fmt.Sprintf("mode=0750,uid=%d,gid=%d", s.UID, s.GID)
		switch target {
		case "/tmp", "/dev/shm":
			owner = "mode=1777"
		case "/run":
			owner = "mode=0755"
		}
		if err := os.MkdirAll(target, 0o755); err != nil {
			return fmt.Errorf("making %s: %w", target, err)
		}
		if err := unix.Mount("tmpfs", target, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, owner+",size="+s.Tmpfs[target]); err != nil {
			return fmt.Errorf("mounting %s: %w", target, err)
		}
	}
	return nil
}

// A runFolder is a folder that the image has in /run, where the tmpfs hides it.
type runFolder struct {
	path     string
	mode     uint32
	uid, gid int
}

func foldersOf(root string) ([]runFolder, error) {
	var found []runFolder
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || name == root || !entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.New("a folder has no owner")
		}
		found = append(found, runFolder{name, stat.Mode & 0o7777, int(stat.Uid), int(stat.Gid)})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("listing the folders in %s: %w", root, err)
	}
	return found, nil
}

func remake(folders []runFolder) error {
	for _, f := range folders {
		err := os.Mkdir(f.path, 0o755)
		if errors.Is(err, fs.ErrExist) {
			err = nil // a file system of its own was asked for here
		}
		if err := errors.Join(err, os.Chown(f.path, f.uid, f.gid), syscall.Chmod(f.path, f.mode)); err != nil {
			return fmt.Errorf("making %s: %w", f.path, err)
		}
	}
	return nil
}

// writeNames writes what a container runtime writes into /etc.
func (s spec) writeNames() error {
	for name, content := range map[string]string{
		"/etc/hostname":    s.Hostname + "\n",
		"/etc/hosts":       "127.0.0.1 localhost " + s.Hostname + "\n::1 localhost\n",
		"/etc/resolv.conf": "",
	} {
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}
