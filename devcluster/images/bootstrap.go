package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/devcluster/console"
)

// cleanupTime is how long mmdebstrap may take to unmount and remove its folder
// after it is told to stop.
const cleanupTime = 20 * time.Second

// skippedEverywhere saves unpacking what selectFiles would drop anyway.
var skippedEverywhere = []string{
	"usr/share/man/*", "usr/share/doc/*", "usr/share/info/*", "usr/share/lintian/*",
	"usr/share/locale/*/LC_MESSAGES/*",
}

var errNoSuchPackage = errors.New("the suite does not have the package")

// installBuilder installs mmdebstrap if the machine does not have it.
func installBuilder(ctx context.Context, out *console.Console) error {
	if _, err := exec.LookPath("mmdebstrap"); err == nil {
		return nil
	}
	return out.Step("installing mmdebstrap", func() error {
		install := []string{"install", "-y", "-qq", "--no-install-recommends", "mmdebstrap"}
		if _, err := run(ctx, nil, "apt-get", install...); err == nil {
			return nil
		}
		// The package lists may be old or, on a fresh machine, absent.
		if output, err := run(ctx, nil, "apt-get", "update", "-qq"); err != nil {
			return fmt.Errorf("updating the package lists: %w\n%s", err, output)
		}
		if output, err := run(ctx, nil, "apt-get", install...); err != nil {
			return fmt.Errorf("installing mmdebstrap, which makes the images: %w\n%s", err, output)
		}
		return nil
	})
}

// bootstrap writes the root file system of a recipe's packages as a tar, from
// the first of its suites that has them. workDir holds everything temporary.
func bootstrap(ctx context.Context, r recipe, workDir, tarPath string) error {
	m, err := findMirror()
	if err != nil {
		return err
	}
	env := []string{
		"TMPDIR=" + workDir,
		"SOURCE_DATE_EPOCH=0",  // equal packages give equal tars
		"UCF_FORCE_CONFFOLD=1", // keeps the createcluster.conf of a recipe
	}
	var failures []error
	for _, suite := range r.Suites {
		args, err := bootstrapArgs(r, m, suite, workDir, tarPath)
		if err != nil {
			return err
		}
		output, err := run(ctx, env, "mmdebstrap", args...)
		if err == nil {
			return nil
		}
		if strings.Contains(output, "Unable to locate package") || strings.Contains(output, "has no installation candidate") {
			failures = append(failures, fmt.Errorf("%s: %w\n%s", suite, errNoSuchPackage, output))
			continue
		}
		return fmt.Errorf("unpacking Debian %s: %w\n%s", suite, err, output)
	}
	return errors.Join(failures...)
}

func bootstrapArgs(r recipe, m mirror, suite, workDir, tarPath string) ([]string, error) {
	lines, err := m.lines(suite, r.Security, workDir)
	if err != nil {
		return nil, err
	}
	args := []string{
		"--format=tar", "--variant=essential", "--include=" + strings.Join(r.Packages, ","),
		// A mirror's index of a moving suite is often older than its validity.
		`--aptopt=Acquire::Check-Valid-Until "false"`,
		"--essential-hook=" + r.Setup,
	}
	if r.Finish != "" {
		args = append(args, "--customize-hook="+r.Finish)
	}
	// A tree that is thrown away after an error need not survive a crash.
	args = append(args, "--dpkgopt=force-unsafe-io")
	for _, skipped := range slices.Concat(skippedEverywhere, r.Skip) {
		args = append(args, "--dpkgopt=path-exclude=/"+skipped)
	}
	for _, option := range m.options {
		args = append(args, "--aptopt="+strings.TrimSuffix(option, ";"))
	}
	return append(append(args, suite, tarPath), lines...), nil
}

// run runs a program and returns the end of what it printed. When ctx ends it
// is told to stop and given time to clean up after itself.
func run(ctx context.Context, env []string, program string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, program, args...)
	command.Env = slices.Concat(os.Environ(), []string{"DEBIAN_FRONTEND=noninteractive", "LC_ALL=C.UTF-8"}, env)
	// What it mounts is gone when it is, and it ends when this process does.
	clone, unshare := newMounts()
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Cloneflags: clone, Unshareflags: unshare, Pdeathsig: syscall.SIGTERM}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = cleanupTime
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	// The kernel sends the death signal when the thread that forked ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := command.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	return lastLines(output.String(), 25), err
}

func lastLines(text string, count int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}
