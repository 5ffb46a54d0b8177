package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// exitRestart is the code by which a supervised server asks to be started
// again, at the end of a clone.
const exitRestart = 16

// Standby implements engine.Driver. That it comes up read-only, offline and
// without replication stands in the option file, not in anybody's memory.
func (d *Driver) Standby() (engine.Process, error) {
	path, err := exec.LookPath(server)
	if err != nil {
		return engine.Process{}, fmt.Errorf("starting: %w", err)
	}
	if err := d.clearSocket(); err != nil {
		return engine.Process{}, fmt.Errorf("starting: %w", err)
	}
	args := []string{"--defaults-file=" + filepath.Join(d.paths.ConfigDir, mysql.ConfigFile)}
	initFile, err := d.initFile()
	if err != nil {
		return engine.Process{}, fmt.Errorf("starting: %w", err)
	}
	if initFile != "" {
		args = append(args, "--init-file="+initFile)
	}
	d.started()
	return engine.Process{
		Path: path,
		Args: args,
		// The server believes that it is supervised if this is its parent.
		Env:         append(environment(), "MYSQLD_PARENT_PID="+strconv.Itoa(os.Getpid())),
		Dir:         d.paths.DataDir,
		Log:         ParseLog,
		RestartExit: exitRestart,
	}, nil
}

// clearSocket removes what a killed server left. Its lock names a process
// number, which in a restarted container soon is another process's, and then
// the server refuses to start.
func (d *Driver) clearSocket() error {
	socket := mysql.Socket(d.paths)
	if err := os.MkdirAll(filepath.Dir(socket), 0o755); err != nil {
		return err
	}
	for _, file := range []string{socket, socket + ".lock"} {
		if err := os.RemoveAll(file); err != nil {
			return err
		}
	}
	return nil
}

// started forgets what was true of the server before.
func (d *Driver) started() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.promoted = false
	d.gate = engine.GateClosed
	d.running = d.written
	d.pending = nil
}

// environment is the agent's own without what MySQL's programs read: a Service
// named mysql-tcp puts MYSQL_TCP_PORT into every pod of its namespace.
func environment() []string {
	return slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "MYSQL") })
}
