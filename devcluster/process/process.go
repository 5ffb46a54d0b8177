// Package process starts the long-lived programs of a cluster so that they
// outlive the command that started them, inside a control group and a network
// namespace, and finds them again by a record of their pid. It knows nothing
// about what the programs do.
package process

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/devcluster/cgroup"
	"github.com/myuser/db-operator/devcluster/netns"
)

// Spec says how to run one program.
type Spec struct {
	Name   string   // unique in the cluster; names the record
	Args   []string // the program's path and its arguments
	Env    []string // added to the environment
	Netns  string   // file of the network namespace, "" for the machine's own
	Cgroup string
	Root   string // mount that becomes the program's root, "" for the caller's own
	Log    string // file to which standard output and error are appended
}

// Record identifies a process across commands, also when its pid is reused.
type Record struct {
	PID     int    `json:"pid"`
	Started string `json:"started"` // clock ticks since boot, from /proc
}

// Table keeps the records, one file per process, in a folder.
type Table struct{ Dir string }

// trampoline is the hidden first argument by which this binary is started to
// become another program.
const trampoline = "__become"

// Ensure starts the program unless it runs already. It reports whether it
// started it. It does not wait until the program is of use.
func (t Table) Ensure(spec Spec) (started bool, err error) {
	if t.Alive(spec.Name) {
		return false, nil
	}
	if err := os.MkdirAll(filepath.Dir(spec.Log), 0o755); err != nil {
		return false, fmt.Errorf("making the log folder of %s: %w", spec.Name, err)
	}
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return false, fmt.Errorf("opening the log of %s: %w", spec.Name, err)
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		return false, fmt.Errorf("finding this program: %w", err)
	}
	command := exec.Command(self, append([]string{trampoline, spec.Cgroup, spec.Netns, spec.Root, "--"}, spec.Args...)...)
	command.Env = append(os.Environ(), spec.Env...)
	command.Stdout, command.Stderr = log, log
	command.Dir = "/"
	// A session of its own: Ctrl-C at the terminal must not reach it.
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return false, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	// Reap it if it ends while this command still runs.
	go func() { _ = command.Wait() }()
	return true, t.write(spec.Name, command.Process.Pid)
}

// Become carries out the trampoline when the arguments ask for it: it enters
// the group, the namespace and the root, and replaces this process by the program. In
// every other case it returns.
func Become(args []string) {
	if len(args) < 7 || args[1] != trampoline {
		return
	}
	if err := become(args[2], args[3], args[4], args[6:]); err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		os.Exit(127)
	}
}

func become(group, namespace, root string, args []string) error {
	runtime.LockOSThread()
	if group != "" {
		tree, err := cgroup.Detect(cgroup.Root)
		if err != nil {
			return err
		}
		if err := tree.Enter(group, os.Getpid()); err != nil {
			return err
		}
	}
	if namespace != "" {
		if err := netns.Enter(namespace); err != nil {
			return err
		}
	}
	if root != "" {
		if err := enterRoot(root); err != nil {
			return err
		}
	}
	if err := syscall.Exec(args[0], args, os.Environ()); err != nil {
		return fmt.Errorf("becoming %s: %w", args[0], err)
	}
	return nil
}

// Alive tells whether the recorded process still runs.
func (t Table) Alive(name string) bool {
	record, err := t.read(name)
	return err == nil && record.Started != "" && startTime(record.PID) == record.Started
}

// PID is the recorded process, 0 when it does not run.
func (t Table) PID(name string) int {
	if record, err := t.read(name); err == nil && t.Alive(name) {
		return record.PID
	}
	return 0
}

// Names lists all recorded processes, whether they run or not.
func (t Table) Names() []string {
	files, _ := filepath.Glob(filepath.Join(t.Dir, "*.json"))
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(file), ".json"))
	}
	return names
}

// Stop asks the process to end and kills it when it has not after grace. It
// returns when the process is gone. It is idempotent.
func (t Table) Stop(ctx context.Context, name string, grace time.Duration) error {
	pid := t.PID(name)
	if pid == 0 {
		return nil
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	deadline := time.Now().Add(grace)
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for t.Alive(name) {
		if time.Now().After(deadline) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s to end: %w", name, ctx.Err())
		case <-ticker.C:
		}
	}
	return nil
}

func (t Table) write(name string, pid int) error {
	if err := os.MkdirAll(t.Dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of process records: %w", err)
	}
	content, err := json.Marshal(Record{PID: pid, Started: startTime(pid)})
	if err != nil {
		return fmt.Errorf("recording %s: %w", name, err)
	}
	if err := os.WriteFile(t.file(name), content, 0o644); err != nil {
		return fmt.Errorf("recording %s: %w", name, err)
	}
	return nil
}

func (t Table) read(name string) (Record, error) {
	var record Record
	content, err := os.ReadFile(t.file(name))
	if err != nil {
		return record, err
	}
	return record, json.Unmarshal(content, &record)
}

func (t Table) file(name string) string { return filepath.Join(t.Dir, name+".json") }

// startTime is field 22 of /proc/PID/stat: "" when there is no such process or
// only its zombie. Together with the pid it names a process for good.
func startTime(pid int) string {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// The second field is the program's name in parentheses and may hold
	// anything, so count from its end.
	end := strings.LastIndexByte(string(content), ')')
	fields := strings.Fields(string(content[end+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return ""
	}
	return fields[19]
}
