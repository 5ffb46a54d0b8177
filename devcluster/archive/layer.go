package archive

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"time"
)

// Every entry carries the same time: equal inputs must give equal bytes.
var fixedTime = time.Unix(0, 0).UTC()

// Layer is a layer tar on disk.
type Layer struct {
	Path   string // of the uncompressed tar
	DiffID string // "sha256:" and the hex digest of the uncompressed tar
	Size   int64  // bytes
}

// WriteLayer writes files as an uncompressed layer tar at the given path,
// sorted, with the folders that they need. Of two files with one path the later
// wins. The path is overwritten; after an error its content means nothing.
func WriteLayer(name string, files []File) (Layer, error) {
	out, err := os.Create(name)
	if err != nil {
		return Layer{}, fmt.Errorf("creating a layer: %w", err)
	}
	digest := sha256.New()
	err = writeTar(io.MultiWriter(out, digest), files)
	size, seekErr := out.Seek(0, io.SeekCurrent)
	if err := errors.Join(err, seekErr, out.Close()); err != nil {
		return Layer{}, fmt.Errorf("writing a layer: %w", err)
	}
	return Layer{Path: name, DiffID: "sha256:" + hex.EncodeToString(digest.Sum(nil)), Size: size}, nil
}

func writeTar(w io.Writer, files []File) error {
	ordered, err := arrange(files)
	if err != nil {
		return err
	}
	writer := tar.NewWriter(w)
	for _, file := range ordered {
		if err := writeFile(writer, file); err != nil {
			return fmt.Errorf("adding %s: %w", file.Path, err)
		}
	}
	return writer.Close()
}

func writeFile(writer *tar.Writer, file File) error {
	header := &tar.Header{
		Name: file.Path, Typeflag: file.Type, Mode: file.Mode,
		Uid: file.UID, Gid: file.GID, Linkname: file.Link,
		Devmajor: file.Major, Devminor: file.Minor, ModTime: fixedTime,
	}
	if file.Type == tar.TypeDir {
		header.Name += "/"
	}
	if file.Type != tar.TypeReg {
		return writer.WriteHeader(header)
	}
	header.Size = file.Size
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	if file.Open == nil {
		return errors.New("a regular file has no content")
	}
	content, err := file.Open()
	if err != nil {
		return err
	}
	_, err = io.Copy(writer, content)
	return errors.Join(err, content.Close())
}

// arrange cleans, completes and sorts the entries of a layer.
func arrange(files []File) ([]File, error) {
	byPath := make(map[string]File, len(files))
	for _, file := range files {
		name, err := cleanPath(file.Path)
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		file.Path = name
		byPath[name] = file
	}
	if err := settleLinks(byPath); err != nil {
		return nil, err
	}
	if err := addParents(byPath); err != nil {
		return nil, err
	}
	ordered := make([]File, 0, len(byPath))
	for _, file := range byPath {
		ordered = append(ordered, file)
	}
	slices.SortFunc(ordered, func(a, b File) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return ordered, nil
}

// settleLinks makes the first path of each group of hard links the regular
// file. A reader creates entries in order, so a link may not precede its target;
// and the target may have been left out of this layer.
func settleLinks(byPath map[string]File) error {
	groups := map[string][]string{}
	for name, file := range byPath {
		if file.Type != tar.TypeLink {
			continue
		}
		target, err := cleanPath(file.Link)
		if err != nil {
			return err
		}
		groups[target] = append(groups[target], name)
	}
	for target, members := range groups {
		content, found := byPath[target]
		if found && content.Type == tar.TypeReg {
			members = append(members, target)
		} else {
			content = byPath[members[0]]
		}
		if content.Open == nil {
			return fmt.Errorf("hard link %s: its target %s is not in the layer", members[0], target)
		}
		slices.Sort(members)
		first := members[0]
		for _, name := range members {
			file := content
			file.Path, file.Type, file.Link = name, tar.TypeLink, first
			if name == first {
				file.Type, file.Link = tar.TypeReg, ""
			}
			byPath[name] = file
		}
	}
	return nil
}

// addParents adds missing folders. A parent that is a symbolic link would be
// replaced by a folder in some readers and followed in others, so it is refused.
func addParents(byPath map[string]File) error {
	names := make([]string, 0, len(byPath))
	for name := range byPath {
		names = append(names, name)
	}
	for _, name := range names {
		for parent := path.Dir(name); parent != "."; parent = path.Dir(parent) {
			file, found := byPath[parent]
			if !found {
				byPath[parent] = Dir(parent, 0o755, 0, 0)
				continue
			}
			if file.Type != tar.TypeDir {
				return fmt.Errorf("%s: its parent %s is not a folder", name, parent)
			}
		}
	}
	return nil
}
