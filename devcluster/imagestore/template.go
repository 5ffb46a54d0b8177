// Package imagestore puts image files into containerd, fast: all images are
// imported and unpacked once into a template of containerd's root folder in the
// cache, and each node's root is laid from the template in milliseconds.
//
// What nodes share is never written after unpacking: blobs are immutable, and
// unpacked layers are the lower layers of overlay mounts, which the kernel does
// not write to. Both are symbolic links into the template, so that containerd
// removing one removes the link, and nodes share the page cache. containerd's two
// metadata databases are copied. The package knows nothing about what the images
// hold.
package imagestore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	snapshots = "io.containerd.snapshotter.v1.overlayfs/snapshots"
	blobs     = "io.containerd.content.v1.content/blobs/sha256"
	socket    = "containerd.sock"
)

// Store keeps templates in a folder.
type Store struct {
	Dir        string // of the templates
	Containerd string // path of the binary
	Ctr        string // path of the binary
}

// Template returns the folder of the template that holds exactly the images in
// the given docker-archives. It blocks while it imports when there is none yet;
// log takes what ctr says.
func (s Store) Template(ctx context.Context, tars []string) (string, error) {
	key, err := keyOf(tars)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(s.Dir, key)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	stage := dir + ".stage"
	if err := os.RemoveAll(stage); err != nil {
		return "", fmt.Errorf("clearing an unfinished image template: %w", err)
	}
	if err := os.MkdirAll(stage, 0o755); err != nil {
		return "", fmt.Errorf("making an image template: %w", err)
	}
	if err := s.fill(ctx, stage, tars); err != nil {
		return "", errors.Join(err, os.RemoveAll(stage))
	}
	if err := os.Rename(stage, dir); err != nil {
		return "", fmt.Errorf("finishing an image template: %w", err)
	}
	return dir, nil
}

// Prune removes all templates but the one given. It must not be called while a
// cluster runs that uses another.
func (s Store) Prune(keep string) error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("listing image templates: %w", err)
	}
	for _, entry := range entries {
		if path := filepath.Join(s.Dir, entry.Name()); path != keep {
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("removing an image template: %w", err)
			}
		}
	}
	return nil
}

// keyOf is made from names, sizes and times: reading gigabytes to hash them
// would cost what the template saves.
func keyOf(tars []string) (string, error) {
	hash := sha256.New()
	for _, path := range slices.Sorted(slices.Values(tars)) {
		info, err := os.Stat(path)
		if err != nil {
			return "", fmt.Errorf("looking at an image: %w", err)
		}
		fmt.Fprintf(hash, "%s %d %d\n", path, info.Size(), info.ModTime().UnixNano())
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}

// fill runs a containerd of its own for as long as the import takes.
func (s Store) fill(ctx context.Context, root string, tars []string) error {
	state, err := os.MkdirTemp("", "devcluster-import-")
	if err != nil {
		return fmt.Errorf("making a folder for the import: %w", err)
	}
	defer os.RemoveAll(state)
	configuration := fmt.Sprintf(`version = 3
root = %q
state = %q
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime",
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri"]
[grpc]
  address = %q
`, root, state, filepath.Join(state, socket))
	configFile := filepath.Join(state, "config.toml")
	if err := os.WriteFile(configFile, []byte(configuration), 0o644); err != nil {
		return fmt.Errorf("writing the import's configuration: %w", err)
	}
	var log strings.Builder
	daemon := exec.Command(s.Containerd, "--config", configFile)
	daemon.Stdout, daemon.Stderr = &log, &log
	// It must die with this program, also when that is killed.
	daemon.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := daemon.Start(); err != nil {
		return fmt.Errorf("starting containerd for the import: %w", err)
	}
	imported := s.importAll(ctx, filepath.Join(state, socket), tars)
	_ = daemon.Process.Signal(syscall.SIGTERM)
	if err := daemon.Wait(); err != nil && imported == nil {
		imported = fmt.Errorf("stopping containerd after the import: %w", err)
	}
	if imported != nil {
		return fmt.Errorf("%w\n%s", imported, log.String())
	}
	return nil
}

func (s Store) importAll(ctx context.Context, socket string, tars []string) error {
	if err := AwaitSocket(ctx, socket); err != nil {
		return err
	}
	for _, tar := range tars {
		if err := s.Import(ctx, socket, tar); err != nil {
			return err
		}
	}
	return nil
}

// Import puts one docker-archive into the containerd behind the socket, and
// unpacks it. It blocks until the image can be run, and is idempotent.
func (s Store) Import(ctx context.Context, socket, tar string) error {
	command := exec.CommandContext(ctx, s.Ctr, "--address", socket, "-n", "k8s.io", "images", "import", "--local", "--snapshotter", "overlayfs", tar)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("importing %s: %w: %s", tar, err, strings.TrimSpace(string(output)))
	}
	return nil
}

// AwaitSocket blocks until something accepts connections at the socket, at
// most 20 seconds.
func AwaitSocket(ctx context.Context, path string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("opening a socket: %w", err)
		}
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: path})
		_ = unix.Close(fd)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for containerd at %s: %w", path, ctx.Err())
		case <-ticker.C:
		}
	}
}

// Lay makes root, which must not exist, a containerd root with the template's
// images.
func Lay(template, root string) error {
	return filepath.WalkDir(template, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("reading the image template: %w", err)
		}
		relative, err := filepath.Rel(template, path)
		if err != nil {
			return fmt.Errorf("reading the image template: %w", err)
		}
		target := filepath.Join(root, relative)
		switch parent := filepath.Dir(relative); {
		case parent == snapshots || parent == blobs:
			if err := os.Symlink(path, target); err != nil {
				return fmt.Errorf("sharing %s: %w", path, err)
			}
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			if err := os.MkdirAll(target, 0o711); err != nil {
				return fmt.Errorf("laying a containerd root: %w", err)
			}
			return nil
		default:
			return copyFile(path, target)
		}
	})
}

func copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return fmt.Errorf("laying a containerd root: %w", err)
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("laying a containerd root: %w", err)
	}
	if _, err := io.Copy(target, source); err != nil {
		return fmt.Errorf("copying %s: %w", from, errors.Join(err, target.Close()))
	}
	return target.Close()
}
