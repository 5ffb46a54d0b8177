// Package netns makes network namespaces that are held by a file, and runs
// functions and programs in them. It knows nothing about what they connect.
//
// Programs enter a namespace by setns alone: `ip netns exec` would also mount a
// fresh /sys, which hides the control groups from kubelet and runc.
package netns

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

const own = "/proc/thread-self/ns/net"

// Create makes a namespace that lives as long as the file at path is mounted.
// It is idempotent: a namespace that is already there is kept.
func Create(path string) error {
	if Exists(path) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("making the folder of network namespaces: %w", err)
	}
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		return fmt.Errorf("making the file of a network namespace: %w", err)
	}
	result := make(chan error)
	go func() {
		// The thread is never unlocked, so that it ends with this goroutine
		// instead of running others in the wrong namespace.
		runtime.LockOSThread()
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			result <- fmt.Errorf("making a network namespace: %w", err)
			return
		}
		if err := unix.Mount(own, path, "", unix.MS_BIND, ""); err != nil {
			result <- fmt.Errorf("holding the network namespace at %s: %w", path, err)
			return
		}
		result <- nil
	}()
	return <-result
}

// Exists tells whether path holds a namespace.
func Exists(path string) bool {
	var stat unix.Statfs_t
	return unix.Statfs(path, &stat) == nil && stat.Type == unix.NSFS_MAGIC
}

// Delete lets go of the namespace. Its interfaces vanish with the last process
// in it. It is idempotent.
func Delete(path string) error {
	for Exists(path) {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("letting go of the network namespace %s: %w", path, err)
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("removing %s: %w", path, err)
	}
	return nil
}

// Do runs do on a thread inside the namespace and returns its error. Goroutines
// that do starts are outside. An empty path is the namespace of the caller.
func Do(path string, do func() error) error {
	if path == "" {
		return do()
	}
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		if err := Enter(path); err != nil {
			result <- err
			return
		}
		result <- do()
	}()
	return <-result
}

// Enter moves the calling thread, which must be locked to its goroutine, into
// the namespace.
func Enter(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("opening a network namespace: %w", err)
	}
	defer file.Close()
	if err := unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("entering the network namespace %s: %w", path, err)
	}
	return nil
}

// Run runs a program to its end inside the namespace ("" is the caller's), with
// the given standard input, and returns its standard output. The error holds
// what the program wrote to standard error.
func Run(ctx context.Context, path, stdin string, name string, args ...string) (string, error) {
	if path != "" {
		args = append([]string{"--net=" + path, "--", name}, args...)
		name = "nsenter"
	}
	command := exec.CommandContext(ctx, name, args...)
	command.Env = append(os.Environ(), "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	command.Stdin = strings.NewReader(stdin)
	var problem strings.Builder
	command.Stderr = &problem
	output, err := command.Output()
	if err != nil {
		return string(output), fmt.Errorf("running %s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(problem.String()))
	}
	return string(output), nil
}

// Sysctl sets kernel parameters, such as "net/ipv4/ip_forward", inside the
// namespace.
func Sysctl(path string, values map[string]string) error {
	return Do(path, func() error {
		for name, value := range values {
			if err := os.WriteFile(filepath.Join("/proc/sys", name), []byte(value), 0o644); err != nil {
				return fmt.Errorf("setting %s to %s: %w", name, value, err)
			}
		}
		return nil
	})
}
