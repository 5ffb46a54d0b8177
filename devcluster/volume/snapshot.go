package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/myuser/db-operator/devcluster/cgroup"
	"github.com/myuser/db-operator/devcluster/mount"
)

// copyAttempts is how often a copy that writeback disturbed is made anew.
const copyAttempts = 20

// Snapshot copies what is on the disk of the volume at one instant to a file:
// what a power failure leaves, without the writes that were not synced. The
// node's processes stand still meanwhile. With powerOff they are killed before
// they go on, so that they never learn of anything after the instant; the node is
// to be stopped as well then. It returns when the copy is whole.
func (d Disk) Snapshot(ctx context.Context, file string, powerOff bool) (failed error) {
	if err := d.needFileSystem(); err != nil {
		return err
	}
	tree, err := cgroup.Detect(cgroup.Root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("making the folder of snapshots: %w", err)
	}
	if err := tree.Freeze(ctx, d.Node.Group()); err != nil {
		return errors.Join(err, tree.Thaw(d.Node.Group()))
	}
	defer func() {
		if powerOff && failed == nil {
			failed = tree.Kill(ctx, d.Node.Group())
		} else {
			failed = errors.Join(failed, tree.Thaw(d.Node.Group()))
		}
	}()
	// The kernel itself may write back during the copy; then it is torn.
	for range copyAttempts {
		before, err := d.writes()
		if err != nil {
			return err
		}
		stage := file + ".stage"
		if _, err := run(ctx, "cp", "--sparse=always", d.image(), stage); err != nil {
			return err
		}
		after, err := d.writes()
		if err != nil {
			return err
		}
		if before == after {
			if err := os.Rename(stage, file); err != nil {
				return fmt.Errorf("keeping the snapshot of %s: %w", d.Name, err)
			}
			return nil
		}
	}
	return fmt.Errorf("copying %s: the kernel wrote during each of %d attempts", d.Name, copyAttempts)
}

// writes counts the writes that the volume's device has completed and those in
// flight.
func (d Disk) writes() (string, error) {
	content, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(d.device()), "stat"))
	if err != nil {
		return "", fmt.Errorf("counting the writes of %s: %w", d.Name, err)
	}
	fields := strings.Fields(string(content))
	if len(fields) < 9 {
		return "", fmt.Errorf("counting the writes of %s: %q", d.Name, content)
	}
	return fields[4] + " " + fields[8], nil
}

// Rollback puts a snapshot in place of the volume's content. The node must be
// stopped. It returns when the volume is mounted with the snapshot's content.
func (d Disk) Rollback(ctx context.Context, file string) error {
	if d.Class != LocalXFS {
		return d.needFileSystem()
	}
	tree, err := cgroup.Detect(cgroup.Root)
	if err != nil {
		return err
	}
	if count := len(tree.Pids(d.Node.Group())); count > 0 {
		return fmt.Errorf("%s runs (%d processes); stop it before its volume is rolled back", d.Node.Name(), count)
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("looking for the snapshot: %w", err)
	}
	if err := d.unmountAll(); err != nil {
		return err
	}
	if device := d.device(); device != "" {
		return fmt.Errorf("rolling %s back: %s is still in use", d.Name, device)
	}
	stage := d.image() + ".stage"
	if _, err := run(ctx, "cp", "--sparse=always", file, stage); err != nil {
		return err
	}
	if err := os.Rename(stage, d.image()); err != nil {
		return fmt.Errorf("rolling %s back: %w", d.Name, err)
	}
	return d.Mount(ctx)
}

// unmountAll removes the volume's mount and those that kubelet made of it. The
// removal of one may take others with it, so they are looked for anew each time.
func (d Disk) unmountAll() error {
	device := ""
	for {
		content, err := os.ReadFile("/proc/self/mountinfo")
		if err != nil {
			return fmt.Errorf("listing mounts: %w", err)
		}
		points := mount.Parse(string(content))
		if device == "" {
			device = deviceAt(points, d.Path())
		}
		last := lastOf(points, device)
		if device == "" || last == "" {
			return nil
		}
		if err := unix.Unmount(last, 0); err != nil {
			return fmt.Errorf("unmounting %s: %w", last, err)
		}
	}
}

func deviceAt(points []mount.Point, path string) string {
	device := ""
	for _, point := range points {
		if point.Path == path {
			device = point.Device
		}
	}
	return device
}

func lastOf(points []mount.Point, device string) string {
	last := ""
	for _, point := range points {
		if point.Device == device {
			last = point.Path
		}
	}
	return last
}
