package archive

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// File is one entry of a layer.
type File struct {
	Path string // slash-separated, relative to the root of the image
	Type byte   // tar.TypeReg, TypeDir, TypeSymlink, TypeLink, TypeChar, TypeBlock or TypeFifo
	Mode int64  // permission bits with set-uid, set-gid and sticky (07777)
	UID  int
	GID  int
	Link string // where a symbolic link points, or the path that a hard link shares
	Size int64

	Major, Minor int64 // of a device

	// Open returns the content of a regular file. A hard link may have it too;
	// then the link survives when the path that it names is left out.
	Open func() (io.ReadCloser, error)
}

// Dir is a folder owned by uid and gid.
func Dir(name string, mode int64, uid, gid int) File {
	return File{Path: name, Type: tar.TypeDir, Mode: mode, UID: uid, GID: gid}
}

// Symlink is a symbolic link at name that points to target.
func Symlink(name, target string) File {
	return File{Path: name, Type: tar.TypeSymlink, Mode: 0o777, Link: target}
}

// Text is a regular file of root's with the given content.
func Text(name string, mode int64, content string) File {
	return File{
		Path: name, Type: tar.TypeReg, Mode: mode, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(content)), nil },
	}
}

// Disk is a regular file of root's with the content that source has now. It
// is read whole, so that a later change of source cannot tear the layer.
func Disk(name string, mode int64, source string) (File, error) {
	content, err := os.ReadFile(source)
	if err != nil {
		return File{}, fmt.Errorf("reading a file for the image: %w", err)
	}
	return File{
		Path: name, Type: tar.TypeReg, Mode: mode, Size: int64(len(content)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil },
	}, nil
}

// cleanPath makes a path relative to the root and refuses one that leaves it.
func cleanPath(name string) (string, error) {
	for _, part := range strings.Split(name, "/") {
		if part == ".." {
			return "", fmt.Errorf("path %q leaves the image", name)
		}
	}
	if strings.ContainsRune(name, 0) {
		return "", fmt.Errorf("path %q contains a zero byte", name)
	}
	return strings.TrimPrefix(path.Clean("/"+name), "/"), nil
}
