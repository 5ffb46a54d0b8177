package volume

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// ioctls of linux/fs.h: _IOWR('X', 119, int) and _IOWR('X', 120, int).
const (
	fiFreeze = 0xC0045877
	fiThaw   = 0xC0045878
)

// Freeze makes every write and fsync on the volume hang until Thaw; not even
// SIGKILL ends a process that waits. In short pulses it is a slow disk. It returns
// when the kernel refuses to freeze it a second time. It is idempotent.
func (d Disk) Freeze() error {
	if err := d.needFileSystem(); err != nil {
		return err
	}
	// The first call freezes, or says that the volume is frozen already.
	if err := ioctl(d.Path(), fiFreeze); err != nil && !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("freezing %s: %w", d.Name, err)
	}
	if err := ioctl(d.Path(), fiFreeze); !errors.Is(err, unix.EBUSY) {
		return fmt.Errorf("freezing %s: it is not frozen after all: %w", d.Name, err)
	}
	return nil
}

// Thaw lets writers go on. It returns when the kernel says that the volume is
// not frozen. It is idempotent.
func (d Disk) Thaw() error {
	if err := d.needFileSystem(); err != nil {
		return err
	}
	if err := ioctl(d.Path(), fiThaw); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("thawing %s: %w", d.Name, err)
	}
	if err := ioctl(d.Path(), fiThaw); !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("thawing %s: it is still frozen: %w", d.Name, err)
	}
	return nil
}

// ThawFileSystem lets writers of the file system at path go on. One that is not
// frozen stays as it is.
func ThawFileSystem(path string) { _ = ioctl(path, fiThaw) }

func (d Disk) needFileSystem() error {
	if d.Class != LocalXFS {
		return fmt.Errorf("volume %s is of class %s and has no file system of its own; use class %s", d.Name, d.Class, LocalXFS)
	}
	if !d.mounted() {
		return fmt.Errorf("volume %s is not mounted", d.Name)
	}
	return nil
}

func ioctl(path string, request uint) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.IoctlSetInt(fd, request, 0)
}
