package images

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/myuser/db-operator/devcluster/archive"
)

// rootFS is the folder with an image's root file system, extracted from its
// archive at the first call. It must not be written to: every run shares it.
func rootFS(ctx context.Context, image Image) (string, error) {
	folder := filepath.Dir(image.Tar)
	final := filepath.Join(folder, rootFSName)
	if _, err := os.Stat(final); err == nil {
		return final, nil
	}
	unlock, err := lock(ctx, filepath.Join(folder, ".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	if _, err := os.Stat(final); err == nil {
		return final, nil // another process extracted it while this one waited
	}
	stage := final + ".stage"
	if err := os.RemoveAll(stage); err != nil {
		return "", fmt.Errorf("removing an interrupted extraction: %w", err)
	}
	if err := extractArchive(image.Tar, stage); err != nil {
		return "", fmt.Errorf("extracting image %s: %w", image.Name, err)
	}
	if err := os.Rename(stage, final); err != nil {
		return "", fmt.Errorf("placing the root file system of image %s: %w", image.Name, err)
	}
	return final, nil
}

// extractArchive extracts the layers of one of our docker-archives, in the
// order in which they lie there.
func extractArchive(name, folder string) error {
	source, err := os.Open(name)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	entries, err := archive.Read(source, info.Size())
	if err != nil {
		return err
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Path, "/layer.tar") {
			continue
		}
		if err := extractLayer(entry, folder); err != nil {
			return err
		}
	}
	return nil
}

func extractLayer(entry archive.File, folder string) error {
	layer, err := entry.Open()
	if err != nil {
		return err
	}
	defer layer.Close()
	content, ok := layer.(io.ReaderAt)
	if !ok {
		return errors.New("a layer cannot be read at random")
	}
	files, err := archive.Read(content, entry.Size)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := extractFile(file, folder); err != nil {
			return err
		}
	}
	return nil
}

func extractFile(file archive.File, folder string) error {
	name := filepath.Join(folder, file.Path)
	var err error
	switch file.Type {
	case tar.TypeDir:
		if err = os.Mkdir(name, 0o755); errors.Is(err, fs.ErrExist) {
			err = nil
		}
	case tar.TypeSymlink:
		if err := os.Symlink(file.Link, name); err != nil {
			return err
		}
		return os.Lchown(name, file.UID, file.GID)
	case tar.TypeLink:
		return os.Link(filepath.Join(folder, file.Link), name)
	case tar.TypeReg:
		err = writeContent(file, name)
	default:
		return fmt.Errorf("%s has the type %q, which images here do not have", file.Path, file.Type)
	}
	if err != nil {
		return err
	}
	if err := os.Chown(name, file.UID, file.GID); err != nil {
		return err
	}
	// After chown, which clears the set-uid bit; and not os.Chmod, whose mode
	// has that bit elsewhere.
	return syscall.Chmod(name, uint32(file.Mode))
}

func writeContent(file archive.File, name string) error {
	content, err := file.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, content)
	return errors.Join(err, out.Close())
}
