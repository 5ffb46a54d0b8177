package components

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/devcluster/console"
)

// Build makes every binary that is missing. It blocks for the length of a
// compilation (about a quarter of a CPU hour with empty caches), writes a line
// per module with its wall and CPU seconds, and returns at once when everything
// is there. A build that was interrupted leaves no half-written binary.
func (s *Set) Build(ctx context.Context, out *console.Console) error {
	if s.Built() {
		return nil
	}
	if err := InstallPackages(ctx, out, buildPackages); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "devcluster-build-")
	if err != nil {
		return fmt.Errorf("making a build folder: %w", err)
	}
	defer os.RemoveAll(work)
	if err := os.CopyFS(work, s.source); err != nil {
		return fmt.Errorf("unpacking the component sources: %w", err)
	}
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return fmt.Errorf("making the component folder: %w", err)
	}
	for _, m := range modules {
		if s.has(m) {
			continue
		}
		if err := s.build(ctx, out, m, work); err != nil {
			return err
		}
	}
	return nil
}

func (s *Set) build(ctx context.Context, out *console.Console, m module, work string) error {
	gomod, err := fs.ReadFile(s.source, "go.mod")
	if err != nil {
		return fmt.Errorf("reading the component versions: %w", err)
	}
	// Binaries appear in the cache by rename, so that what is there is whole.
	stage, err := os.MkdirTemp(s.dir, ".stage-")
	if err != nil {
		return fmt.Errorf("making a folder to build %s into: %w", m.name, err)
	}
	defer os.RemoveAll(stage)

	args := []string{"build", "-trimpath", "-o", stage + "/"}
	for _, flag := range m.flags {
		args = append(args, expand(flag, gomod))
	}
	command := exec.CommandContext(ctx, goCommand(), append(args, m.packages...)...)
	command.Dir = work
	command.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly -buildvcs=false", "CGO_ENABLED=0")
	if m.cgo {
		command.Env = append(command.Env, "CGO_ENABLED=1")
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }

	begin := time.Now()
	err = out.Step("building "+m.name, func() error {
		output, err := command.CombinedOutput()
		if err != nil {
			return fmt.Errorf("building %s: %w\n%s", m.name, err, tail(string(output)))
		}
		return nil
	})
	if err != nil {
		return err
	}
	cpu := command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	out.Printf("    %s: %.0f s of wall clock, %.0f s of CPU", m.name, time.Since(begin).Seconds(), cpu.Seconds())
	for _, name := range m.binaries {
		if err := os.Rename(filepath.Join(stage, name), s.Path(name)); err != nil {
			return fmt.Errorf("putting %s into the cache: %w", name, err)
		}
	}
	for _, name := range m.links {
		if err := os.Symlink(m.binaries[0], s.Path(name)); err != nil && !os.IsExist(err) {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	return nil
}

// goCommand finds the toolchain also where PATH does not lead to it: root's
// PATH under sudo and in a chroot often lacks /usr/local/go/bin.
func goCommand() string {
	if path, err := exec.LookPath("go"); err == nil {
		return path
	}
	return "/usr/local/go/bin/go"
}

func tail(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	return strings.Join(lines[max(0, len(lines)-30):], "\n")
}
