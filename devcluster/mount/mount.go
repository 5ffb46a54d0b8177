// Package mount lists and removes mounts below a folder. It knows nothing about
// who made them.
package mount

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Point is one mount.
type Point struct {
	Path   string
	FSType string
	Source string
	Device string // major:minor
}

// Below lists the mounts at and below dir, the newest first, which is the order
// in which they can be removed.
func Below(dir string) ([]Point, error) {
	content, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, fmt.Errorf("listing mounts: %w", err)
	}
	var below []Point
	for _, point := range Parse(string(content)) {
		if point.Path == dir || strings.HasPrefix(point.Path, dir+"/") {
			below = append([]Point{point}, below...)
		}
	}
	return below, nil
}

// Parse reads the format of /proc/PID/mountinfo. Lines that do not follow it
// are left out.
func Parse(mountinfo string) []Point {
	var points []Point
	for line := range strings.Lines(mountinfo) {
		// ID PARENT DEVICE ROOT PATH OPTIONS [TAG…] - FSTYPE SOURCE SUPEROPTIONS
		before, after, found := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !found || len(left) < 6 || len(right) < 2 {
			continue
		}
		points = append(points, Point{
			Path: unescape.Replace(left[4]), FSType: right[0], Source: unescape.Replace(right[1]), Device: left[2],
		})
	}
	return points
}

// unescape undoes what the kernel does to characters that separate fields.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

// RemoveBelow removes all mounts at and below dir. One that is in use is
// detached, and goes with its last user. It is idempotent.
func RemoveBelow(dir string) error {
	points, err := Below(dir)
	if err != nil {
		return err
	}
	var failed error
	for _, point := range points {
		err := unix.Unmount(point.Path, unix.UMOUNT_NOFOLLOW)
		if errors.Is(err, unix.EBUSY) {
			err = unix.Unmount(point.Path, unix.MNT_DETACH|unix.UMOUNT_NOFOLLOW)
		}
		if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOENT) {
			failed = errors.Join(failed, fmt.Errorf("unmounting %s: %w", filepath.Clean(point.Path), err))
		}
	}
	return failed
}
