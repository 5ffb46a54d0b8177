package supervise

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// RunGuardian is the guardian process: tokens arrive on standard input, one
// byte goes to standard output after each fence. When the token lapses it
// kills everything below its parent but itself; when the agent is gone (end of
// input) it kills what the agent had below it at the last token. It returns
// the exit code, which is 0 after an orderly end.
//
//	token ──► armed ──lapses──► fence, report ──► waits for the next token
//	            └──end of input──► fence ──► exit
func RunGuardian(ctx context.Context, logger *slog.Logger) int {
	signal.Ignore(unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGPIPE)
	g := guard{agent: os.Getppid(), logger: logger}
	if err := g.run(ctx); err != nil {
		logger.Error("guarding the engine", "error", err)
		return 1
	}
	return 0
}

type guard struct {
	agent   int
	logger  *slog.Logger
	token   Token
	targets []process // the agent's children at the last token
}

func (g *guard) run(ctx context.Context) error {
	timer, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return fmt.Errorf("making a timer: %w", err)
	}
	defer unix.Close(timer)
	for {
		fds := []unix.PollFd{{Fd: 0, Events: unix.POLLIN}, {Fd: int32(timer), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, -1); errors.Is(err, unix.EINTR) {
			continue
		} else if err != nil {
			return fmt.Errorf("waiting for a token: %w", err)
		}
		if fds[0].Revents != 0 {
			token, end, err := lastToken(0)
			if err != nil {
				return fmt.Errorf("reading a token: %w", err)
			}
			if end {
				return g.agentGone(ctx)
			}
			if err := g.arm(timer, token); err != nil {
				return err
			}
		}
		if g.lapsed() {
			g.fence(ctx)
		}
	}
}

// lastToken reads what has arrived and keeps the newest. A write of eight bytes
// to a pipe is never torn.
func lastToken(fd int) (t Token, end bool, err error) {
	buffer := make([]byte, 8*64)
	n, err := unix.Read(fd, buffer)
	switch {
	case err != nil:
		return 0, false, err
	case n == 0:
		return 0, true, nil
	case n%8 != 0:
		return 0, false, fmt.Errorf("%d bytes are no whole number of tokens", n)
	}
	return Token(binary.BigEndian.Uint64(buffer[n-8 : n])), false, nil
}

// arm takes the token over and notes what there is to be guarded.
func (g *guard) arm(timer int, t Token) error {
	g.token = t
	var spec unix.ItimerSpec // zero disarms
	if t != Nothing && t != NoExpiry {
		spec.Value = unix.NsecToTimespec(int64(t))
	}
	if err := unix.TimerfdSettime(timer, unix.TFD_TIMER_ABSTIME, &spec, nil); err != nil {
		return fmt.Errorf("setting the timer: %w", err)
	}
	all, err := table()
	if err != nil {
		return err
	}
	g.targets = g.targets[:0]
	for _, p := range all {
		if p.parent == g.agent && p.pid != os.Getpid() && p.alive() {
			g.targets = append(g.targets, p)
		}
	}
	return nil
}

func (g *guard) lapsed() bool {
	return g.token != Nothing && g.token != NoExpiry && bootTime() >= time.Duration(g.token)
}

// fence never gives up: an engine whose permission has lapsed must not run.
func (g *guard) fence(ctx context.Context) {
	g.logger.Error("the agent's token lapsed: killing the engine", "agent", g.agent)
	for {
		bounded, cancel := context.WithTimeout(ctx, 10*time.Second)
		err := fenceTree(bounded, g.agent, map[int]bool{os.Getpid(): true})
		cancel()
		if err == nil {
			break
		}
		g.logger.Error("fencing the engine", "error", err)
		if ctx.Err() != nil {
			return
		}
	}
	g.token = Nothing
	_, _ = os.Stdout.Write([]byte{'F'}) // nobody may be there to read it
}

// agentGone kills what was below an agent that died without saying so. It
// matters only where the agent is not PID 1: there, the kernel has done it.
// Orphans have gone to another parent by now, so the tree is walked from the
// engine's main process, stopped first so that it cannot fork meanwhile.
func (g *guard) agentGone(ctx context.Context) error {
	if g.token == Nothing {
		return nil
	}
	g.logger.Error("the agent is gone: killing the engine", "agent", g.agent)
	doomed := map[process]bool{}
	for _, target := range g.targets {
		if now, ok := look(target.pid); ok && now.start == target.start {
			_ = unix.Kill(target.pid, unix.SIGSTOP)
		}
	}
	all, err := table()
	if err != nil {
		return err
	}
	for _, target := range g.targets {
		doomed[target] = true
		for _, p := range below(all, target.pid, nil) {
			doomed[p] = true
		}
	}
	return killAll(ctx, doomed)
}

// killAll kills a fixed set of processes and returns when none is left.
func killAll(ctx context.Context, doomed map[process]bool) error {
	for len(doomed) > 0 {
		for p := range doomed {
			now, ok := look(p.pid)
			if !ok || now.start != p.start || !now.alive() {
				delete(doomed, p)
				continue
			}
			if err := p.kill(); err != nil {
				return fmt.Errorf("killing process %d: %w", p.pid, err)
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("killing what the agent left: %w", ctx.Err())
		case <-time.After(lookEvery):
		}
	}
	return nil
}
