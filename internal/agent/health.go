package agent

import (
	"context"
	"errors"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

const (
	// probeEvery is how often a new login is tried while the engine is up.
	probeEvery = 2 * time.Second
	// stuckAfter is how long no login may have been answered before a leader of
	// one starts its engine anew. Nobody can take over from it, so a restart
	// helps only an engine that hangs for good: it is given a minute, and it is
	// not restarted at all while the disk does not answer, since the next
	// process would hang on the same disk.
	stuckAfter = time.Minute
)

// healthTurn starts the next look at the engine, beside whatever job runs.
func (m *member) healthTurn(now time.Time) {
	e := &m.engine
	if !e.up || m.fault.any() {
		return
	}
	if now.Sub(e.answered) >= stuckAfter && e.gate != engine.GateClosed && !m.diskStuck(now) && m.engineLane.job == "" {
		m.fail("EngineStuck", "The engine has answered no login for %s: the agent starts it anew.", stuckAfter)
		return
	}
	leaving := m.engineLane.job == string(stop) || m.engineLane.job == string(closeGate)
	if m.probing || leaving || now.Before(m.nextProbe) {
		return
	}
	m.probing, m.nextProbe = true, now.Add(probeEvery)
	driver, epoch := m.driver, e.epoch
	m.jobs.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, answerLimit)
		defer cancel()
		probe, err := driver.Probe(ctx)
		m.post(func() {
			m.probing = false
			switch {
			case err == nil:
				m.probed(probe, epoch)
			case errors.Is(err, engine.ErrFull):
				// Clients that come faster than they are refused are no reason
				// to kill an engine.
				m.engine.answered = time.Now()
			}
		})
	})
}

// probed takes a look in. What it saw counts only if nothing was done to the
// engine meanwhile; that it was answered counts in any case.
func (m *member) probed(p engine.Probe, epoch int) {
	e := &m.engine
	e.answered = time.Now()
	if e.epoch != epoch || m.engineLane.job != "" {
		return
	}
	e.probe, e.pending = p, p.PendingRestart
	if p.Standby == e.promoted {
		m.fail("EngineChanged", "The engine is not in the role that the agent gave it (standby: %t): the agent starts it anew.", p.Standby)
	}
}

func (m *member) diskStuck(now time.Time) bool {
	return !m.diskSince.IsZero() && now.Sub(m.diskSince) > diskStuck
}
