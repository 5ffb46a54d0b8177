package process

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// enterRoot gives the calling thread, which must be locked to its goroutine, a
// mount namespace of its own whose root is the mount at dir. A mere chroot will
// not do for a program that makes containers: whoever enters a container's
// mount namespace later lands at the root of the namespace, so that must be the
// container's, and not a folder above the chroot.
func enterRoot(dir string) error {
	// What propagates between mounts goes on doing so from the new namespace.
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("making a mount namespace: %w", err)
	}
	// Opened only now, since a file opened before is of the old namespace.
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening the root %s: %w", dir, err)
	}
	if err := leaveChroot(); err != nil {
		return err
	}
	old, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening the old root: %w", err)
	}
	if err := unix.Fchdir(fd); err != nil {
		return fmt.Errorf("going to the root %s: %w", dir, err)
	}
	path, err := os.Readlink(fmt.Sprintf("/proc/thread-self/fd/%d", fd))
	if err != nil {
		return fmt.Errorf("naming the root %s: %w", dir, err)
	}
	if err := makeParentPrivate(path); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return fmt.Errorf("making %s the root: %w", path, err)
	}
	// The old root lies on top of the new one now. Its removal must not reach
	// the namespace that it was copied from.
	if err := unix.Fchdir(old); err != nil {
		return fmt.Errorf("going to the old root: %w", err)
	}
	if err := unix.Mount("", ".", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("parting from the old root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("removing the old root: %w", err)
	}
	return unix.Chdir("/")
}

// leaveChroot makes the root of the mount namespace the thread's root: that is
// what entering a mount namespace does, also when one is inside already.
func leaveChroot() error {
	file, err := os.Open("/proc/thread-self/ns/mnt")
	if err != nil {
		return fmt.Errorf("opening the mount namespace: %w", err)
	}
	defer file.Close()
	if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering the mount namespace: %w", err)
	}
	return nil
}

// makeParentPrivate does so for the mount that the mount at path hangs on:
// pivot_root refuses a shared one.
func makeParentPrivate(path string) error {
	for path != "/" {
		path = filepath.Dir(path)
		err := unix.Mount("", path, "", unix.MS_PRIVATE, "")
		if err == nil {
			return nil
		}
		// EINVAL: nothing is mounted exactly there.
		if !errors.Is(err, unix.EINVAL) {
			return fmt.Errorf("making the mount at %s private: %w", path, err)
		}
	}
	return fmt.Errorf("making the mount above the root private: there is none")
}
