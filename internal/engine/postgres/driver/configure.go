package driver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// Configure implements engine.Driver. Files that the installed server does not
// take are refused with engine.ErrConfigRefused, and the old ones stay.
//
// Proof that the server has read them is a setting with their hash, as a new
// session shows it: the server reads files some time after the signal.
func (d *Driver) Configure(ctx context.Context, c engine.Config) (pendingRestart []string, err error) {
	if err := d.tryConfig(ctx, c); err != nil {
		return nil, fmt.Errorf("configuring: %w", err)
	}
	files, err := d.writeFiles(c)
	if err != nil {
		return nil, fmt.Errorf("configuring: %w", err)
	}
	d.config = &c
	err = d.signal(syscall.SIGHUP)
	if errors.Is(err, engine.ErrNotRunning) {
		return nil, nil // the next start reads them
	}
	if err != nil {
		return nil, fmt.Errorf("configuring: %w", err)
	}
	pending, err := d.awaitRead(ctx, postgres.Rendered(files))
	if errors.Is(err, engine.ErrNotRunning) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("configuring: %w", err)
	}
	return pending, nil
}

// awaitRead waits until a new session shows the hash, and returns the settings
// that wait for a restart.
func (d *Driver) awaitRead(ctx context.Context, hash string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		pending, read, err := d.readBy(ctx, hash)
		if read || err != nil {
			return pending, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the server to read its files: %w", ctx.Err())
		case <-tick.C:
		}
	}
}

func (d *Driver) readBy(ctx context.Context, hash string) (pending []string, read bool, err error) {
	conn, err := d.login(ctx)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = conn.Close(ctx) }() // whether it says goodbye does not matter
	var shown, names string
	err = conn.QueryRow(ctx, `
		SELECT coalesce(current_setting($1, true), ''),
		       coalesce((SELECT string_agg(name, ',' ORDER BY name) FROM pg_settings WHERE pending_restart), '')`,
		postgres.RenderedSetting).Scan(&shown, &names)
	if err != nil || shown != hash {
		return nil, false, err
	}
	if names != "" {
		pending = strings.Split(names, ",")
	}
	return pending, true, nil
}

// writeFiles renders the configuration with the present gate and replaces what
// differs.
func (d *Driver) writeFiles(c engine.Config) ([]engine.File, error) {
	c.Gate = d.gate
	files, err := d.profile.Files(c)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if err := replace(filepath.Join(d.paths.ConfigDir, f.Name), f.Content); err != nil {
			return nil, fmt.Errorf("writing %s: %w", f.Name, err)
		}
	}
	return files, nil
}

// replace writes a file at once, so that the server never reads half of it.
// Nothing is flushed: files are written before every start.
func replace(path, content string) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == content {
		return nil
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(path+".new", []byte(content), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// tryConfig lets the installed server read the settings without starting.
func (d *Driver) tryConfig(ctx context.Context, c engine.Config) error {
	initialised, err := d.Initialised()
	if err != nil || !initialised {
		return err
	}
	path, err := find("postgres")
	if err != nil {
		return err
	}
	if err := os.Chmod(d.paths.DataDir, 0o700); err != nil { // see prepareDataDir
		return err
	}
	// Not on the volume: it may be full, and the engine must start all the same.
	dir, err := os.MkdirTemp(d.paths.ConfigDir, "try-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	files, err := d.profile.Files(c)
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := replace(filepath.Join(dir, f.Name), f.Content); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, statementTime)
	defer cancel()
	command := exec.CommandContext(ctx, path, "-C", "config_file",
		"-D", d.paths.DataDir, "-c", "config_file="+filepath.Join(dir, postgres.ConfigFile))
	output, err := command.CombinedOutput()
	switch {
	case err == nil:
		return missingLibrary(path, c.Parameters)
	case ctx.Err() != nil:
		return fmt.Errorf("trying the settings: %w", ctx.Err())
	case !ended(err):
		return fmt.Errorf("trying the settings: %w", err)
	default:
		return fmt.Errorf("%w: %s", engine.ErrConfigRefused, complaints(output))
	}
}

// ended tells a program that ended by itself from one that did not start or was
// killed, by a lack of memory for instance: that one has refused nothing, and
// nobody would ask again.
func ended(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && !(status.Signaled() && status.Signal() == syscall.SIGKILL)
}

// complaints are the server's messages without times and file names.
func complaints(output []byte) string {
	var all []string
	for line := range bytes.Lines(output) {
		text := strings.TrimSpace(string(line))
		for _, mark := range []string{"LOG:  ", "FATAL:  ", "DETAIL:  ", "HINT:  "} {
			if _, message, found := strings.Cut(text, mark); found {
				text = message
			}
		}
		if text != "" && !strings.HasPrefix(text, "configuration file ") {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// missingLibrary finds a library that the image does not have: the server would
// find out at its next start only. It looks where Debian has them, and says
// nothing if they are elsewhere.
func missingLibrary(server string, parameters map[string]string) error {
	server, err := filepath.EvalSymlinks(server)
	if err != nil {
		return err
	}
	libraries := filepath.Join(filepath.Dir(filepath.Dir(server)), "lib")
	if _, err := os.Stat(filepath.Join(libraries, "plpgsql.so")); err != nil {
		return nil
	}
	for name, value := range parameters {
		if !strings.EqualFold(name, "shared_preload_libraries") {
			continue
		}
		for library := range strings.SplitSeq(value, ",") {
			library = strings.Trim(strings.TrimSpace(library), `"`)
			if library == "" || strings.ContainsRune(library, '/') {
				continue
			}
			if _, err := os.Stat(filepath.Join(libraries, strings.TrimSuffix(library, ".so")+".so")); err != nil {
				return fmt.Errorf("%w: shared_preload_libraries names %q, which the image does not have", engine.ErrConfigRefused, library)
			}
		}
	}
	return nil
}

// ReloadCertificates implements engine.Driver. It has succeeded when a new
// client is shown the certificate that is in the file.
func (d *Driver) ReloadCertificates(ctx context.Context) error {
	if d.config == nil {
		return errors.New("reloading certificates: the configuration was never written")
	}
	pair, err := tls.LoadX509KeyPair(d.config.CertFile, d.config.KeyFile)
	if err != nil {
		return fmt.Errorf("reloading certificates: %w", err)
	}
	if err := d.signal(syscall.SIGHUP); err != nil {
		return fmt.Errorf("reloading certificates: %w", err)
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		k, err := knock(ctx)
		if err == nil && bytes.Equal(k.certificate, pair.Certificate[0]) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("reloading certificates: waiting until the new one is served (%v): %w", err, ctx.Err())
		case <-tick.C:
		}
	}
}
