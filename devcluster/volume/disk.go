package volume

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/myuser/db-operator/devcluster/plan"
)

// minimumXFS is the smallest file system that mkfs.xfs makes.
const minimumXFS = 300 << 20

// Disk is one volume on one node.
type Disk struct {
	Node  plan.Node
	Name  string // of the PersistentVolume
	Class string
}

// Path is the volume's directory, which pods see.
func (d Disk) Path() string { return filepath.Join(d.Node.Volumes(), d.Name) }

// image is the file that holds a local-xfs volume.
func (d Disk) image() string { return d.Node.Dir("disks", d.Name+".img") }

// Create makes the volume and returns its real size in bytes (for `local`, the
// size asked for). It is idempotent.
func (d Disk) Create(ctx context.Context, size int64) (int64, error) {
	if d.Class == LocalXFS {
		size = max(size, minimumXFS)
		if err := d.createImage(ctx, size); err != nil {
			return 0, err
		}
	}
	if err := d.Mount(ctx); err != nil {
		return 0, err
	}
	// Pods of any user may write, with or without fsGroup.
	if err := os.Chmod(d.Path(), 0o777); err != nil {
		return 0, fmt.Errorf("opening the volume %s to all: %w", d.Name, err)
	}
	return size, nil
}

func (d Disk) createImage(ctx context.Context, size int64) error {
	if _, err := os.Stat(d.image()); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(d.image()), 0o755); err != nil {
		return fmt.Errorf("making the folder of disks: %w", err)
	}
	stage := d.image() + ".stage"
	file, err := os.Create(stage)
	if err != nil {
		return fmt.Errorf("making the disk of %s: %w", d.Name, err)
	}
	if err := errors.Join(file.Truncate(size), file.Close()); err != nil {
		return fmt.Errorf("making the disk of %s: %w", d.Name, err)
	}
	if _, err := run(ctx, "mkfs.xfs", "-q", "-f", "-K", stage); err != nil {
		return err
	}
	if err := os.Rename(stage, d.image()); err != nil {
		return fmt.Errorf("making the disk of %s: %w", d.Name, err)
	}
	return nil
}

// Mount makes the volume's directory usable. It is idempotent.
func (d Disk) Mount(ctx context.Context) error {
	if err := os.MkdirAll(d.Path(), 0o755); err != nil {
		return fmt.Errorf("making the directory of %s: %w", d.Name, err)
	}
	if d.Class != LocalXFS || d.mounted() {
		return nil
	}
	// The loop device goes when the last mount goes. nouuid: a rolled-back
	// copy has the file system id of its original.
	_, err := run(ctx, "mount", "-t", "xfs", "-o", "loop,nouuid", d.image(), d.Path())
	return err
}

func (d Disk) mounted() bool {
	var stat unix.Statfs_t
	return unix.Statfs(d.Path(), &stat) == nil && stat.Type == unix.XFS_SUPER_MAGIC && d.device() != ""
}

// device is the loop device of a local-xfs volume, "" when it is not mounted.
func (d Disk) device() string {
	backing, _ := filepath.Glob("/sys/block/loop*/loop/backing_file")
	for _, file := range backing {
		content, err := os.ReadFile(file)
		// The kernel names the file as seen from its own root, which in a
		// chroot may be above ours.
		if err == nil && strings.HasSuffix(strings.TrimSpace(string(content)), d.image()) {
			return "/dev/" + filepath.Base(filepath.Dir(filepath.Dir(file)))
		}
	}
	return ""
}

// Grow makes a local-xfs volume at least size bytes large, while it is in use.
// It is idempotent and never shrinks.
func (d Disk) Grow(ctx context.Context, size int64) error {
	if err := d.Mount(ctx); err != nil {
		return err
	}
	info, err := os.Stat(d.image())
	if err != nil {
		return fmt.Errorf("growing %s: %w", d.Name, err)
	}
	if info.Size() < size {
		if err := os.Truncate(d.image(), size); err != nil {
			return fmt.Errorf("growing the disk of %s: %w", d.Name, err)
		}
	}
	if _, err := run(ctx, "losetup", "-c", d.device()); err != nil {
		return err
	}
	_, err = run(ctx, "xfs_growfs", d.Path())
	return err
}

// Remove removes the volume with all data. It is idempotent, and fails while a
// pod still uses it.
func (d Disk) Remove() error {
	if d.Class == LocalXFS && d.mounted() {
		if err := unix.Unmount(d.Path(), 0); err != nil {
			return fmt.Errorf("unmounting %s: %w", d.Name, err)
		}
	}
	if err := os.RemoveAll(d.Path()); err != nil {
		return fmt.Errorf("removing the directory of %s: %w", d.Name, err)
	}
	if err := os.Remove(d.image()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing the disk of %s: %w", d.Name, err)
	}
	return nil
}

func run(ctx context.Context, name string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Env = append(os.Environ(), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	output, err := command.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("running %s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(string(output)))
	}
	return string(output), nil
}
