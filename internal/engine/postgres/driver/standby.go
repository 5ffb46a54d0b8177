package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/durable"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// Standby implements engine.Driver. It must not run beside a start.
//
// With standby.signal and no source the server replays its own log to the end
// and waits there, whatever it was before:
// https://www.postgresql.org/docs/current/runtime-config-wal.html#RUNTIME-CONFIG-WAL-RECOVERY-TARGET
func (d *Driver) Standby() (engine.Process, error) {
	path, err := find("postgres")
	if err != nil {
		return engine.Process{}, err
	}
	if d.config == nil {
		return engine.Process{}, errors.New("starting: the configuration was never written")
	}
	d.gate = engine.GateClosed
	if _, err := d.writeFiles(*d.config); err != nil {
		return engine.Process{}, err
	}
	if err := d.prepareDataDir(); err != nil {
		return engine.Process{}, fmt.Errorf("starting: %w", err)
	}
	lowered, err := d.lowered()
	if err != nil {
		return engine.Process{}, fmt.Errorf("starting: %w", err)
	}
	d.recovery.begin(lowered)
	return engine.Process{
		Path: path,
		Args: []string{
			"-D", d.paths.DataDir,
			"-c", "config_file=" + filepath.Join(d.paths.ConfigDir, postgres.ConfigFile),
			"-c", "hot_standby=" + map[bool]string{true: "off", false: "on"}[lowered],
		},
		Env: os.Environ(),
		Dir: d.paths.DataDir,
		Log: d.recovery.listen,
	}, nil
}

func (d *Driver) prepareDataDir() error {
	data := d.paths.DataDir
	// kubelet opens the directory to the group of fsGroup at each mount, and
	// the server refuses that.
	if err := os.Chmod(data, 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(d.socketDir(), 0o755); err != nil {
		return err
	}
	// Settings made with ALTER SYSTEM would override ours.
	if err := os.WriteFile(filepath.Join(data, "postgresql.auto.conf"), nil, 0o600); err != nil {
		return err
	}
	for _, name := range []string{"recovery.signal", promoteFile} {
		if err := os.Remove(filepath.Join(data, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := d.removeStalePidFile(); err != nil {
		return err
	}
	signal, err := os.OpenFile(filepath.Join(data, "standby.signal"), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err := errors.Join(signal.Sync(), signal.Close()); err != nil {
		return err
	}
	return durable.Flush(data)
}

// removeStalePidFile removes the file of a server that is gone. The server
// itself believes it if any process has that pid now, and in a container the
// next agent or guardian may well have it.
func (d *Driver) removeStalePidFile() error {
	pid, err := d.postmaster()
	if err == nil || !errors.Is(err, engine.ErrNotRunning) {
		return err
	}
	if pid == 0 {
		return nil
	}
	return os.Remove(d.pidFile())
}

func (d *Driver) socketDir() string { return filepath.Join(d.paths.RunDir, postgres.SocketDir) }

func (d *Driver) pidFile() string { return filepath.Join(d.paths.DataDir, "postmaster.pid") }

// processName is what the kernel calls this pid, or "".
func processName(pid int) string {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
