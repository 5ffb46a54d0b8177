package driver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/myuser/db-operator/internal/engine"
)

// postmaster is the pid of the running server's main process, from the file
// that it keeps in the data directory. The error is engine.ErrNotRunning if no
// server has the pid written there (which is returned, 0 without a file).
func (d *Driver) postmaster() (int, error) {
	text, err := os.ReadFile(d.pidFile())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, engine.ErrNotRunning
	}
	if err != nil {
		return 0, fmt.Errorf("looking for the server: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 1 || processName(pid) != "postgres" {
		return max(pid, 1), engine.ErrNotRunning
	}
	return pid, nil
}

// signal tells the server's main process something.
func (d *Driver) signal(s syscall.Signal) error {
	pid, err := d.postmaster()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, s); err != nil {
		if errors.Is(err, syscall.ESRCH) {
			return engine.ErrNotRunning
		}
		return fmt.Errorf("sending %s to the server: %w", s, err)
	}
	return nil
}

// backend is one process below the server's main one.
type backend struct {
	pid   int
	start string // tells two processes apart that had the same pid
}

// backends lists the processes whose parent is the server.
func backends(postmaster int) ([]backend, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var all []backend
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, start := parentOf(pid); parent == postmaster {
			all = append(all, backend{pid, start})
		}
	}
	return all, nil
}

// parentOf reads /proc/<pid>/stat; 0 if the process is gone or dead. The name
// in it may hold anything, so fields are counted from its closing bracket.
func parentOf(pid int) (parent int, start string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, ""
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')')+1:]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return 0, ""
	}
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[19]
}

// alive tells whether this very process still is.
func (b backend) alive() bool {
	_, start := parentOf(b.pid)
	return start == b.start
}
