package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/myuser/db-operator/internal/agentapi"
)

const (
	// diskEvery is how often the volume is looked at: rarely enough to cost the
	// engine no commit, often enough for people.
	diskEvery = 5 * time.Second
	// diskStuck is how long a flush may take before the member says so.
	diskStuck = 10 * time.Second
	// diskFull is the free space below which an engine can no longer be
	// expected to commit: both write their logs in files of 16 MiB and more.
	diskFull = 32 << 20
)

// disk is one look at the volume.
type disk struct {
	Free, Size uint64
	Err        error
}

// lookAtDisk measures the volume and flushes one block on it. It blocks as long
// as the disk does.
func lookAtDisk(dir string) disk {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return disk{Err: fmt.Errorf("measuring the volume: %w", err)}
	}
	d := disk{Free: fs.Bavail * uint64(fs.Bsize), Size: fs.Blocks * uint64(fs.Bsize)}
	d.Err = flush(filepath.Join(dir, "probe"))
	return d
}

func flush(path string) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("probing the volume: %w", err)
	}
	_, err = file.WriteAt([]byte{1}, 0)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("probing the volume: %w", err)
	}
	return nil
}

// watchDisk reports looks until ctx ends; began is called before each, so that
// one that never comes back is noticed.
func watchDisk(ctx context.Context, dir string, began func(), found func(disk)) {
	ticker := time.NewTicker(diskEvery)
	defer ticker.Stop()
	for {
		began()
		found(lookAtDisk(dir))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// trouble is what people are told about the volume.
func (d disk) trouble() trouble {
	switch {
	case errors.Is(d.Err, unix.ENOSPC), errors.Is(d.Err, unix.EDQUOT), d.Err == nil && d.Size > 0 && d.Free < diskFull:
		return trouble{agentapi.ReasonDiskFull, "The volume is full. Raise spec.storage; until then writes fail."}
	case d.Err != nil:
		return trouble{"DiskFailed", fmt.Sprintf("The volume cannot be written: %v.", d.Err)}
	default:
		return trouble{}
	}
}
