package supervise

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Token is what the agent grants its engine: the reading of CLOCK_BOOTTIME, in
// nanoseconds, until which it may run without hearing from the agent again.
// That clock counts on while the machine is suspended.
type Token uint64

const (
	// Nothing is there to be guarded: the engine is stopped.
	Nothing Token = 0
	// NoExpiry is for a rule of one member, whose lead nobody can take over.
	NoExpiry Token = 1<<64 - 1
)

// Until is the token that lapses after d.
func Until(d time.Duration) Token { return Token(bootTime() + d) }

// bootTime reads CLOCK_BOOTTIME.
func bootTime() time.Duration {
	var now unix.Timespec
	// It cannot fail: the clock is older than every kernel that runs Go.
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	return time.Duration(now.Nano())
}

// allowWait bounds one write to the guardian. Its pipe holds thousands of
// tokens: a full one means that the guardian does not run.
const allowWait = 100 * time.Millisecond

// Guardian is the agent's side of the guardian process.
type Guardian struct {
	process *os.Process
	tokens  *os.File
	exited  chan struct{}
	fenced  chan struct{}
}

// StartGuardian starts path with the arguments that make it call RunGuardian.
// Close ends it; if it ends before that, the agent must kill its engine and
// start both anew.
func StartGuardian(path string, args, env []string, logger *slog.Logger) (*Guardian, error) {
	adopt()
	tokenRead, tokenWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the guardian: %w", err)
	}
	defer tokenRead.Close()
	reportRead, reportWrite, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("starting the guardian: %w", errors.Join(err, tokenWrite.Close()))
	}
	defer reportWrite.Close()

	owned.Lock()
	defer owned.Unlock()
	process, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{
		Env:   env,
		Files: []*os.File{tokenRead, reportWrite, os.Stderr},
		// A Ctrl-C at a terminal is the agent's to handle.
		Sys: &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, fmt.Errorf("starting the guardian: %w", errors.Join(err, tokenWrite.Close(), reportRead.Close()))
	}
	owned.guardians[process.Pid] = true
	g := &Guardian{process: process, tokens: tokenWrite, exited: make(chan struct{}), fenced: make(chan struct{}, 1)}
	go g.listen(reportRead)
	go g.wait(logger)
	return g, nil
}

// Allow replaces the token. It must be called again right after each start of
// an engine, since the guardian then looks which processes there are to guard.
// An error means that the guardian is as good as dead.
func (g *Guardian) Allow(t Token) error {
	if err := g.tokens.SetWriteDeadline(time.Now().Add(allowWait)); err != nil {
		return fmt.Errorf("telling the guardian: %w", err)
	}
	if _, err := g.tokens.Write(binary.BigEndian.AppendUint64(nil, uint64(t))); err != nil {
		return fmt.Errorf("telling the guardian: %w", err)
	}
	return nil
}

// Fenced receives once after each fence that the guardian had to do.
func (g *Guardian) Fenced() <-chan struct{} { return g.fenced }

// Exited is closed when the guardian has ended.
func (g *Guardian) Exited() <-chan struct{} { return g.exited }

// Pid is the guardian's process id.
func (g *Guardian) Pid() int { return g.process.Pid }

// Close ends the guardian without a fence and waits for it.
func (g *Guardian) Close() error {
	err := errors.Join(g.Allow(Nothing), g.tokens.Close())
	select {
	case <-g.exited:
		return nil
	case <-time.After(time.Second):
		return errors.Join(err, g.process.Kill())
	}
}

func (g *Guardian) listen(reports *os.File) {
	defer reports.Close()
	report := make([]byte, 1)
	for {
		if _, err := reports.Read(report); err != nil {
			return
		}
		select {
		case g.fenced <- struct{}{}:
		default:
		}
	}
}

func (g *Guardian) wait(logger *slog.Logger) {
	state, err := g.process.Wait()
	owned.Lock()
	delete(owned.guardians, g.process.Pid)
	owned.Unlock()
	if err != nil || !state.Success() {
		logger.Warn("the guardian ended", "pid", g.process.Pid, "state", state.String())
	}
	close(g.exited)
}
