package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/engine/durable"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// freshPrefix names directories that are being made, below TmpDir.
const freshPrefix = "initdb-"

// Initialised implements engine.Driver. The directory gets its name only when
// it is complete, so these files tell it from a foreign one.
func (d *Driver) Initialised() (bool, error) {
	for _, name := range []string{"PG_VERSION", filepath.Join("global", "pg_control")} {
		_, err := os.Stat(filepath.Join(d.paths.DataDir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("looking for the data directory: %w", err)
		}
	}
	return true, nil
}

// Initialise implements engine.Driver with the image's initdb. What that wrote
// is flushed as a whole before it gets its name.
func (d *Driver) Initialise(ctx context.Context) error {
	if done, err := d.Initialised(); done || err != nil {
		return err
	}
	entries, err := os.ReadDir(d.paths.DataDir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("initialising %s: %w", d.paths.DataDir, err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("initialising %s: it holds %q and is no data directory; move that away", d.paths.DataDir, entries[0].Name())
	}
	if err := d.removeInterrupted(); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(d.paths.TmpDir, freshPrefix)
	if err != nil {
		return fmt.Errorf("initialising %s: %w", d.paths.DataDir, err)
	}
	if err := initdb(ctx, fresh); err != nil {
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if err := durable.Tree(fresh); err != nil {
		return errors.Join(fmt.Errorf("initialising %s: flushing the new directory: %w", d.paths.DataDir, err), os.RemoveAll(fresh))
	}
	if err := os.Rename(fresh, d.paths.DataDir); err != nil {
		return errors.Join(fmt.Errorf("initialising %s: %w", d.paths.DataDir, err), os.RemoveAll(fresh))
	}
	return errors.Join(durable.Flush(filepath.Dir(d.paths.DataDir)), durable.Flush(d.paths.TmpDir))
}

func (d *Driver) removeInterrupted() error {
	leftovers, err := filepath.Glob(filepath.Join(d.paths.TmpDir, freshPrefix+"*"))
	for _, dir := range leftovers {
		err = errors.Join(err, os.RemoveAll(dir))
	}
	if err != nil {
		return fmt.Errorf("removing an interrupted initialisation: %w", err)
	}
	return nil
}

// initdb fills an empty directory. C.UTF-8 sorts by code point, everywhere and
// for ever; where the server has that locale itself, no newer C library can
// change which characters are letters either.
func initdb(ctx context.Context, dir string) error {
	path, err := find("initdb")
	if err != nil {
		return err
	}
	_, series, err := programVersion(ctx, "initdb")
	if err != nil {
		return err
	}
	args := []string{
		"--pgdata", dir, "--username", postgres.Superuser,
		"--auth-local=peer", "--auth-host=reject",
		"--data-checksums", "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions",
		// The caller flushes, in less time.
		"--no-sync",
	}
	if postgres.HasBuiltinLocale(series) {
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
	}
	var output bytes.Buffer
	command := exec.CommandContext(ctx, path, args...)
	// Without it initdb compares the system's time zone with all there are, for a
	// file that is not used.
	command.Env = append(os.Environ(), "TZ=UTC")
	command.Stdout, command.Stderr = &output, &output
	// It runs the server through a shell: the whole group must end with it.
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.WaitDelay = 5 * time.Second
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("initialising with %s: %w; it says: %s", path, err, lastLines(output.Bytes()))
	}
	return nil
}

// lastLines keeps error messages short.
func lastLines(output []byte) string {
	output = bytes.TrimSpace(output)
	if over := len(output) - 500; over > 0 {
		output = append([]byte("…"), output[over:]...)
	}
	return string(output)
}
