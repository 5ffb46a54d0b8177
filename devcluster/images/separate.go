package images

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// separateMounts parts the mounts of this process's namespace from those it was
// copied from. The calling goroutine keeps its thread for good.
//
// In a chroot, / is not where anything is mounted, so its mounts can be neither
// parted nor pivoted. There the namespace's own root is entered, the folder of
// the chroot is mounted upon itself, and that mount becomes the root.
func separateMounts() error {
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	runtime.LockOSThread()
	// A thread can enter a mount namespace only while no other shares its root.
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("taking a root of its own: %w", err)
	}
	folder, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(folder)
	namespace, err := unix.Open("/proc/thread-self/ns/mnt", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(namespace)
	if err := unix.Setns(namespace, unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("entering the namespace's root: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	// The name of the chroot's folder as the namespace sees it.
	path, err := os.Readlink(fmt.Sprintf("/proc/thread-self/fd/%d", folder))
	if err != nil {
		return fmt.Errorf("naming the chroot: %w", err)
	}
	if err := unix.Mount(path, path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("mounting the chroot upon itself: %w", err)
	}
	if err := unix.Chdir(path); err != nil {
		return err
	}
	if err := unix.Chroot("."); err != nil {
		return err
	}
	return unix.Chdir("/")
}

// newMounts are the flags that give a child a mount namespace of its own: with
// its mounts parted from ours where that is possible.
func newMounts() (clone, unshare uintptr) {
	var root unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, "/", 0, unix.STATX_BASIC_STATS, &root)
	if err == nil && root.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return 0, unix.CLONE_NEWNS
	}
	return unix.CLONE_NEWNS, 0
}
