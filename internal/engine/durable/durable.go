// Package durable makes what was written survive a power cut. It knows files
// and folders, and nothing of what engines keep in them.
package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Tree flushes everything below dir, dir itself included. It blocks as long as
// the disk does. The file system is asked once for all of it, which is far
// faster than file by file. A kernel before 5.8 does not report errors then
// (https://man7.org/linux/man-pages/man2/syncfs.2.html): there the files, which
// have nothing left to write, are asked one by one for theirs.
func Tree(dir string) error {
	top, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer top.Close()
	var kernel unix.Utsname
	if err := errors.Join(unix.Syncfs(int(top.Fd())), unix.Uname(&kernel)); err != nil {
		return err
	}
	if reports(unix.ByteSliceToString(kernel.Release[:])) {
		return nil
	}
	return eachFile(dir)
}

// reports tells from a kernel's release, "6.1.0-13-amd64", whether syncfs
// returns the errors of writing. One that cannot be read is taken for an old one.
func reports(release string) bool {
	var major, minor int
	if _, err := fmt.Sscanf(release, "%d.%d", &major, &minor); err != nil {
		return false
	}
	return major > 5 || major == 5 && minor >= 8
}

func eachFile(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return Flush(path)
	})
}

// Flush makes a file, or the names in a folder, durable.
func Flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
