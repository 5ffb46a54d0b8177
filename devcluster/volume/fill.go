package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const (
	ballast = ".devcluster-ballast"
	// block is what a file system hands out at least.
	block = 4096
)

// Fill takes all free space of the volume but leave bytes. With nothing left it
// returns when a write of one block has failed for lack of space. Another Fill
// changes what is left; Empty gives the space back.
func (d Disk) Fill(leave int64) error {
	if err := d.needFileSystem(); err != nil {
		return err
	}
	if err := d.Empty(); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(d.Path(), ballast), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("filling %s: %w", d.Name, err)
	}
	defer file.Close()
	// Allocation in ever smaller steps: the file system needs blocks of its
	// own to describe the file, so what is free is never all to be had.
	offset, step := int64(0), int64(1)<<40
	for step >= block {
		free, err := d.Free()
		if err != nil {
			return err
		}
		step = min(step, (free-leave)/block*block)
		if step < block {
			break
		}
		if err := unix.Fallocate(int(file.Fd()), 0, offset, step); err == nil {
			offset += step
		} else if errors.Is(err, unix.ENOSPC) {
			step /= 2
		} else {
			return fmt.Errorf("filling %s: %w", d.Name, err)
		}
	}
	if leave > 0 {
		return nil
	}
	return d.proveFull()
}

// proveFull writes until the volume refuses, which is soon.
func (d Disk) proveFull() error {
	file, err := os.OpenFile(filepath.Join(d.Path(), ballast), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("filling %s: %w", d.Name, err)
	}
	defer file.Close()
	content := make([]byte, block)
	for range 1024 {
		_, err = file.Write(content)
		if err == nil {
			err = file.Sync()
		}
		if errors.Is(err, unix.ENOSPC) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("filling %s: %w", d.Name, err)
		}
	}
	return fmt.Errorf("filling %s: it still takes data", d.Name)
}

// Empty gives back what Fill took. It is idempotent.
func (d Disk) Empty() error {
	if err := d.needFileSystem(); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(d.Path(), ballast)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("giving back the space of %s: %w", d.Name, err)
	}
	return nil
}

// Free is the free space of the volume in bytes.
func (d Disk) Free() (int64, error) {
	var stat unix.Statfs_t
	if err := unix.Statfs(d.Path(), &stat); err != nil {
		return 0, fmt.Errorf("measuring %s: %w", d.Name, err)
	}
	return int64(stat.Bavail) * stat.Bsize, nil
}
