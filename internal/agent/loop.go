package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/engine"
)

const (
	// tick is how often the loop turns without an event, for what depends on
	// time alone.
	tick = 250 * time.Millisecond
	// stopLimit is how long an engine may take to stop cleanly: ten seconds less
	// than the pod's grace period.
	stopLimit = 50 * time.Second
	// withdrawLimit is how long a stopped member waits for its endpoint to go.
	withdrawLimit = 2 * time.Second
)

// loop turns until ctx ends and the engine has been stopped after that.
func (m *member) loop(ctx context.Context) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	stop := ctx.Done()
	for {
		now := time.Now()
		m.turned.Store(now.UnixNano())
		if m.turn(now) {
			return
		}
		select {
		case <-stop:
			stop = nil
			m.stopping, m.deadline = true, time.Now().Add(stopLimit)
			m.transition("Stopping", "The pod ends: the member stops its engine.")
		case event := <-m.events:
			event()
		case <-m.engineExit():
			m.engineExited()
		case <-m.guardianExit():
			m.guardianGone()
		case <-m.guardianFence():
			m.fail("GuardianFenced", "The guardian has killed the engine.")
		case <-ticker.C:
		}
	}
}

// turn acts once on all that is known now. It never blocks.
func (m *member) turn(now time.Time) (done bool) {
	m.keepGuardian(now)
	if m.mounted != nil && m.opened && !m.refused.any() && !m.stopping {
		m.registerTurn(now)
	}
	ended := m.engineTurn(now)
	m.routesTurn(now)
	m.healthTurn(now)
	m.tellDisk(now)
	m.publish(now)
	return ended && (m.withdrawn() || now.After(m.deadline.Add(-stopLimit+withdrawLimit)))
}

// engineExit is closed when the engine has ended unasked.
func (m *member) engineExit() <-chan struct{} {
	if m.engine.child == nil || m.fault.any() || m.engineLane.job == string(stop) || m.engineLane.job == string(fence) {
		return nil
	}
	return m.engine.child.Exited()
}

func (m *member) guardianExit() <-chan struct{} {
	if m.guardian == nil {
		return nil
	}
	return m.guardian.Exited()
}

func (m *member) guardianFence() <-chan struct{} {
	if m.guardian == nil {
		return nil
	}
	return m.guardian.Fenced()
}

// fail makes the engine lane fence before it does anything else. The main
// process is killed at once: what follows is the proof.
func (m *member) fail(reason, format string, args ...any) {
	if !m.engine.possible || m.fault.any() {
		return
	}
	m.fault = trouble{reason, fmt.Sprintf(format, args...)}
	m.engine.epoch++
	m.transition(reason, "%s", m.fault.Message)
	if m.engine.child != nil {
		// An error is found again by the fence, which proves its work.
		_ = m.engine.child.Signal(kill)
	}
}

// guardianGone kills the engine: it must not run unguarded.
func (m *member) guardianGone() {
	m.guardian = nil
	m.fail("GuardianEnded", "The guardian process has ended: the agent kills the engine and starts both anew.")
}

// keepGuardian starts one wherever there is none and nothing to be guarded.
func (m *member) keepGuardian(now time.Time) {
	if m.guardian != nil || m.engine.possible || m.stopping || now.Before(m.guardianAfter) {
		return
	}
	g, err := m.newGuardian()
	if err != nil {
		m.guardianAfter = now.Add(time.Second)
		m.log.Warn("the guardian cannot be started", "error", err)
		return
	}
	m.guardian = g
}

// engineExited notes an end that nobody asked for. What the engine said at its
// end is told only if no client can have been heard by then.
func (m *member) engineExited() {
	exit, e := m.engine.child.Exit(), &m.engine
	if exit.Signal == 0 && exit.Code != 0 && exit.Code == m.restartExit {
		m.crashes, m.startAfter, m.crash = 0, time.Time{}, trouble{}
		m.fail("EngineRestarts", "The engine asks to be started again.")
		return
	}
	if !e.opened.IsZero() && time.Since(e.opened) >= crashReset {
		m.crashes = 0
	}
	pause := crashPause(m.crashes)
	m.crashes++
	m.startAfter = time.Now().Add(pause)
	message := fmt.Sprintf("The engine ended by itself: %s. It is started again.", exit)
	if !e.up {
		message += lastWords(e.child.LastErrors())
	}
	m.crash = trouble{"EngineCrashed", message}
	m.fail("EngineCrashed", "%s", message)
}

const (
	// crashReset is how long an engine has to serve before its next crash counts
	// as the first.
	crashReset = time.Minute
	maxWords   = 400
)

// crashPause is the pause before the start after n crashes in a row: none
// after the first.
func crashPause(n int) time.Duration {
	if n == 0 {
		return 0
	}
	return min(500*time.Millisecond<<min(n, 10), retryMax)
}

func lastWords(errs []string) string {
	if len(errs) == 0 {
		return ""
	}
	text := errs[len(errs)-1]
	return " Its last error: " + text[:min(len(text), maxWords)]
}

// stopped forgets an engine of which nothing is left.
func (m *member) stopped() {
	m.engine = running{epoch: m.engine.epoch + 1, gate: engine.GateClosed}
	m.fault = trouble{}
	if m.guardian != nil {
		if err := m.guardian.Allow(supervise.Nothing); err != nil {
			m.log.Warn("the guardian does not listen", "error", err)
		}
	}
}
