package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/myuser/db-operator/internal/engine/durable"
)

// Programs of the stock image, found by PATH.
const (
	server        = "mysqld"
	timeZonesTool = "mysql_tzinfo_to_sql"
	timeZonesDir  = "/usr/share/zoneinfo"
)

// initialOptions make a directory as the server would, but without the care
// that only pays off in a directory in use: this one is flushed as a whole and
// is nobody's until it is renamed. The redo log has its full size from the
// beginning: a server that must make it grow aborts on a full volume (measured).
// The server makes no certificates, since the operator brings them; loose, since
// some of them are for old ways to log in, which will go.
var initialOptions = []string{
	"--initialize-insecure",
	"--skip-log-bin",
	"--innodb-flush-method=nosync",
	"--innodb-doublewrite=OFF",
	"--innodb-flush-log-at-trx-commit=0",
	"--loose-auto-generate-certs=OFF",
	"--loose-caching-sha2-password-auto-generate-rsa-keys=OFF",
	"--loose-sha256-password-auto-generate-rsa-keys=OFF",
}

// Initialised implements engine.Driver: the directory appears by one rename, so
// that the dictionary's file tells it all.
func (d *Driver) Initialised() (bool, error) {
	_, err := os.Stat(filepath.Join(d.paths.DataDir, "mysql.ibd"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("looking for an initialised directory: %w", err)
	}
	return true, nil
}

// Initialise implements engine.Driver. Named time zones are loaded on the way,
// as the stock image does, where the image has what that takes.
func (d *Driver) Initialise(ctx context.Context) error {
	done, err := d.Initialised()
	if err != nil || done {
		return err
	}
	// An empty directory is as good as none; anything else is not ours to remove.
	if err := os.Remove(d.paths.DataDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("initialising: %w", err)
	}
	work := filepath.Join(d.paths.TmpDir, "initialise")
	if err := os.RemoveAll(work); err != nil {
		return fmt.Errorf("initialising: clearing an interrupted attempt: %w", err)
	}
	if err := os.Mkdir(work, 0o700); err != nil {
		return fmt.Errorf("initialising: %w", err)
	}
	fresh := filepath.Join(work, "data")
	if err := makeDirectory(ctx, fresh, timeZones(ctx, work)); err != nil {
		return fmt.Errorf("initialising: %w", err)
	}
	if err := markAccountsMissing(fresh); err != nil {
		return fmt.Errorf("initialising: %w", err)
	}
	if err := putInPlace(fresh, d.paths.DataDir); err != nil {
		return fmt.Errorf("initialising: %w", err)
	}
	return os.RemoveAll(work)
}

// makeDirectory runs the server once; initFile may be empty.
func makeDirectory(ctx context.Context, dir, initFile string) error {
	args := append([]string{"--no-defaults", "--datadir=" + dir}, initialOptions...)
	if initFile != "" {
		args = append(args, "--init-file="+initFile)
	}
	if output, err := command(ctx, server, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("running %s: %w: %s", server, err, lastErrors(string(output)))
	}
	return nil
}

// command is a short-lived program whose whole group dies with ctx.
func command(ctx context.Context, program string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, program, args...)
	c.Env = environment()
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	return c
}

// timeZones writes the statements that load the image's time zones, and
// returns the file; empty if the image has no zones or not the tool.
func timeZones(ctx context.Context, work string) string {
	statements, err := command(ctx, timeZonesTool, timeZonesDir).Output()
	if err != nil || len(statements) == 0 {
		return ""
	}
	file := filepath.Join(work, "timezones.sql")
	if os.WriteFile(file, append([]byte("USE mysql;\n"), statements...), 0o600) != nil {
		return ""
	}
	return file
}

// lastErrors picks the lines of the server's output that say what went wrong.
func lastErrors(output string) string {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	var errs []string
	for _, line := range lines {
		if parsed := ParseLog(line); parsed.Level == "error" {
			errs = append(errs, parsed.Message)
		}
	}
	if len(errs) == 0 {
		return lines[len(lines)-1]
	}
	return strings.Join(errs, "; ")
}

// putInPlace flushes dir as a whole and renames it.
func putInPlace(dir, target string) error {
	if err := durable.Tree(dir); err != nil {
		return fmt.Errorf("flushing the new directory: %w", err)
	}
	if err := os.Rename(dir, target); err != nil {
		return err
	}
	return errors.Join(durable.Flush(filepath.Dir(dir)), durable.Flush(filepath.Dir(target)))
}
