package supervise_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/agent/supervise"
)

func guardian(logger *slog.Logger) (*supervise.Guardian, error) {
	return supervise.StartGuardian(os.Args[0], nil, []string{programVar + "=guardian"}, logger)
}

func startGuardian(t *testing.T) *supervise.Guardian {
	t.Helper()
	g, err := guardian(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func allow(t *testing.T, g *supervise.Guardian, token supervise.Token) {
	t.Helper()
	if err := g.Allow(token); err != nil {
		t.Fatal(err)
	}
}

func TestGuardianFencesWhenTheTokenLapses(t *testing.T) {
	var log journal
	g := startGuardian(t)
	child := start(t, program("engine"), log.logger())
	pids := log.backends(t, 3)
	allow(t, g, supervise.NoExpiry)
	allow(t, g, supervise.Until(50*time.Millisecond))
	select {
	case <-g.Fenced():
	case <-time.After(20 * time.Second):
		t.Fatal("no report of a fence")
	}
	for _, pid := range append(pids, child.Pid()) {
		if alive(pid) {
			t.Errorf("process %d is still alive", pid)
		}
	}
	if exit := wait(t, child); exit.Signal != syscall.SIGKILL {
		t.Errorf("exit is %v, want the signal KILL", exit)
	}
	if !alive(g.Pid()) {
		t.Error("the guardian is gone")
	}
}

func TestGuardianWaitsAsLongAsTokensCome(t *testing.T) {
	var log journal
	g := startGuardian(t)
	child := start(t, program("engine"), log.logger())
	log.backends(t, 3)
	for range 40 {
		allow(t, g, supervise.Until(10*time.Second))
		allow(t, g, supervise.NoExpiry)
		allow(t, g, supervise.Nothing)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if !alive(child.Pid()) {
		t.Error("an orderly end of the guardian killed the engine")
	}
}

func TestAFenceSparesTheGuardian(t *testing.T) {
	g := startGuardian(t)
	allow(t, g, supervise.NoExpiry)
	if err := supervise.Fence(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if !alive(g.Pid()) {
		t.Error("the guardian is gone")
	}
}

func TestTheAgentHearsOfAnEndOfTheGuardian(t *testing.T) {
	g := startGuardian(t)
	if err := syscall.Kill(g.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-g.Exited():
	case <-time.After(20 * time.Second):
		t.Fatal("nobody noticed")
	}
	eventually(t, "telling a dead guardian fails", func() bool { return g.Allow(supervise.NoExpiry) != nil })
}

func TestAStoppedGuardianIsAsGoodAsDead(t *testing.T) {
	g := startGuardian(t)
	if err := syscall.Kill(g.Pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the pipe is full", func() bool {
		for range 1000 {
			if g.Allow(supervise.NoExpiry) != nil {
				return true
			}
		}
		return false
	})
}

// agentProgram is an agent with a guardian and an engine. With the argument
// "lapse" its token lapses in 300 ms.
func agentProgram(args []string) {
	logger := slog.New(slog.NewTextHandler(os.Stdout, nil))
	g, err := guardian(logger)
	if err != nil {
		panic(err)
	}
	if _, err := supervise.Start(program("plain engine"), logger); err != nil {
		panic(err)
	}
	token := supervise.NoExpiry
	if len(args) > 0 {
		token = supervise.Until(300 * time.Millisecond)
	}
	if err := g.Allow(token); err != nil {
		panic(err)
	}
	logger.Info("armed")
	<-time.After(time.Hour)
}

// startAgent starts agentProgram and returns it with the pids of its backends.
func startAgent(t *testing.T, args ...string) (agent *exec.Cmd, backends []int) {
	t.Helper()
	agent = exec.Command(os.Args[0], args...)
	agent.Env = []string{programVar + "=agent"}
	out, err := agent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := agent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = agent.Process.Kill()
		_ = agent.Wait()
		_ = supervise.Fence(context.Background(), nil)
	})
	armed := false
	for lines := bufio.NewScanner(out); (len(backends) < 3 || !armed) && lines.Scan(); {
		armed = armed || strings.Contains(lines.Text(), "armed")
		if _, text, ok := strings.Cut(lines.Text(), "backend "); ok {
			var pid int
			if _, err := fmt.Sscan(text, &pid); err != nil {
				t.Fatal(err)
			}
			backends = append(backends, pid)
		}
	}
	return agent, backends
}

func TestGuardianFencesForAFrozenAgent(t *testing.T) {
	agent, backends := startAgent(t, "lapse")
	if err := agent.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the backends die", func() bool { return !anyAlive(backends) })
}

func TestGuardianFencesAfterTheAgentsDeath(t *testing.T) {
	agent, backends := startAgent(t)
	if err := agent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the backends die", func() bool { return !anyAlive(backends) })
}

func anyAlive(pids []int) bool {
	for _, pid := range pids {
		if alive(pid) {
			return true
		}
	}
	return false
}

// alive is false for zombies.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	return !bytes.HasPrefix(stat[bytes.LastIndexByte(stat, ')')+1:], []byte(" Z"))
}
