package supervise

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

// oomRaise is added to the engine's oom_score_adj, so that the kernel kills an
// engine that eats too much and not the agent that would restart it.
const oomRaise = 200

// drainWait bounds how long LastErrors waits for the last lines of an engine
// that has died: its pipes may be held open by processes it left behind.
const drainWait = 200 * time.Millisecond

// Child is a started process. All methods may be called from any goroutine.
type Child struct {
	process *os.Process
	out     *output
	exited  chan struct{}
	exit    Exit
}

// Exit is how a process ended: by a code, or by a signal if that is not 0.
type Exit struct {
	Code   int
	Signal syscall.Signal
}

// String draws the end of a process for people.
func (e Exit) String() string {
	if e.Signal != 0 {
		return "killed by " + e.Signal.String()
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Start starts p as a process group of its own with nothing on its standard
// input, and writes its output through p.Log to logger. It does not wait for
// the program to get anywhere. Output never blocks the program for long: lines
// that the logger cannot take are counted and dropped.
func Start(p engine.Process, logger *slog.Logger) (*Child, error) {
	adopt()
	out, err := newOutput(p.Log, logger)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.Path, err)
	}
	process, err := start(p, out.stdout, out.stderr)
	out.childHasIt()
	if err != nil {
		out.close()
		return nil, fmt.Errorf("starting %s: %w", p.Path, err)
	}
	raiseOOM(process.Pid)
	c := &Child{process: process, out: out, exited: make(chan struct{})}
	go c.wait()
	return c, nil
}

// start forks under the lock, so that the child is owned before anybody can
// find it dead.
func start(p engine.Process, stdout, stderr *os.File) (*os.Process, error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	owned.Lock()
	defer owned.Unlock()
	process, err := os.StartProcess(p.Path, append([]string{p.Path}, p.Args...), &os.ProcAttr{
		Dir:   p.Dir,
		Env:   p.Env,
		Files: []*os.File{null, stdout, stderr},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, err
	}
	owned.children[process.Pid] = true
	return process, nil
}

func (c *Child) wait() {
	state, err := c.process.Wait()
	owned.Lock()
	delete(owned.children, c.process.Pid)
	owned.Unlock()
	c.exit = Exit{Code: -1}
	if err == nil {
		c.exit = exitOf(state)
	}
	close(c.exited)
}

func exitOf(state *os.ProcessState) Exit {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return Exit{Code: -1, Signal: status.Signal()}
	}
	return Exit{Code: state.ExitCode()}
}

// Pid is the process id of the main process.
func (c *Child) Pid() int { return c.process.Pid }

// Exited is closed when the main process has ended; others may be left.
func (c *Child) Exited() <-chan struct{} { return c.exited }

// Exit is how it ended. It is valid once Exited is closed.
func (c *Child) Exit() Exit {
	select {
	case <-c.exited:
		return c.exit
	default:
		return Exit{Code: -1}
	}
}

// Signal sends sig to the main process. A process that has ended is no error.
func (c *Child) Signal(sig syscall.Signal) error {
	if err := c.process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("sending %s to process %d: %w", sig, c.process.Pid, err)
	}
	return nil
}

// Kill sends SIGKILL to the main process only; Fence is what ends an engine.
func (c *Child) Kill() error { return c.Signal(syscall.SIGKILL) }

// LastErrors are the newest messages that the program wrote at level error or
// above, oldest first, at most five. After the exit it waits for the last
// lines, at most 200 ms.
func (c *Child) LastErrors() []string {
	select {
	case <-c.exited:
		timer := time.NewTimer(drainWait)
		defer timer.Stop()
		select {
		case <-c.out.done:
		case <-timer.C:
		}
	default:
	}
	return c.out.errors()
}

// raiseOOM is best effort: raising needs no privilege, and a process that has
// just died has no file to write.
func raiseOOM(pid int) {
	own, err := os.ReadFile("/proc/self/oom_score_adj")
	if err != nil {
		return
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(own)))
	if err != nil {
		return
	}
	raised := strconv.Itoa(min(score+oomRaise, 1000))
	_ = os.WriteFile("/proc/"+strconv.Itoa(pid)+"/oom_score_adj", []byte(raised), 0)
}
