package enginetest

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
)

// notReady are the answers of a probe before the engine lets the agent in.
func notReady(err error) bool {
	return errors.Is(err, engine.ErrNotRunning) || errors.Is(err, engine.ErrStarting)
}

var startCases = []Case{
	{"starts as a standby that says who it is and where its log ends", func(t *testing.T, m *Member) {
		probe := m.Start(t)
		if !probe.Standby {
			t.Error("it is a primary")
		}
		if !strings.HasPrefix(probe.Version, m.Config.Version) {
			t.Errorf("it reports version %q, and is %q", probe.Version, m.Config.Version)
		}
		if len(probe.PendingRestart) > 0 {
			t.Errorf("right after a start %q wait for one", probe.PendingRestart)
		}
	}},
	{"a probe tells not running, starting and running apart", func(t *testing.T, m *Member) {
		if _, err := m.Driver.Probe(m.Context(t, time.Second)); !errors.Is(err, engine.ErrNotRunning) {
			t.Errorf("before the start: %v", err)
		}
		m.Launch(t)
		seen := map[string]int{}
		Eventually(t, startTime, "the engine answers", func() error {
			_, err := m.Driver.Probe(m.Context(t, time.Second))
			if err != nil && !notReady(err) {
				t.Errorf("while starting: %v", err)
			}
			if err != nil {
				seen[err.Error()]++
			}
			return err
		})
		t.Logf("answers while it started: %v", seen)
		m.Kill(t)
		if _, err := m.Driver.Probe(m.Context(t, time.Second)); !errors.Is(err, engine.ErrNotRunning) {
			t.Errorf("after the kill: %v", err)
		}
	}},
	{"a probe of a frozen engine gives up in time and does not call it gone", func(t *testing.T, m *Member) {
		m.Start(t)
		Must(t, m.Child.Signal(syscall.SIGSTOP))
		begin := time.Now()
		_, err := m.Driver.Probe(m.Context(t, 5*time.Second))
		if err == nil || notReady(err) {
			t.Errorf("Probe = %v", err)
		}
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("it took %s", took)
		}
		Must(t, m.Child.Signal(syscall.SIGCONT))
		m.AwaitKnown(t)
	}},
	{"a standby refuses what only a primary may do", func(t *testing.T, m *Member) {
		m.Start(t)
		if err := m.Driver.WriteProbe(m.Context(t, verbTime)); err == nil {
			t.Error("it took a write")
		}
		if err := m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access); err == nil {
			t.Error("it made accounts")
		}
		if err := m.Driver.SetGate(m.Context(t, verbTime), engine.GateOpen); err == nil {
			t.Error("it opened the gate for writers")
		}
		if probe := m.AwaitKnown(t); !probe.Standby {
			t.Error("it is a primary now")
		}
	}},
	{"promotion makes a primary with a closed gate, and can be asked for again", func(t *testing.T, m *Member) {
		before := m.Start(t)
		at := m.Promote(t)
		if order := at.Compare(before.Log); order != ha.Ahead {
			t.Errorf("the barrier at %s is %s to %s, where the standby was", at, order, before.Log)
		}
		Must(t, m.Driver.Promote(m.Context(t, verbTime), m.session))
		probe := m.AwaitKnown(t)
		if probe.Standby {
			t.Error("it is still a standby")
		}
		if order := probe.Log.Compare(at); order != ha.Ahead && order != ha.Equal {
			t.Errorf("the primary at %s is %s to its barrier at %s", probe.Log, order, at)
		}
		if err := m.TryLogin(t.Context(), m.Login(m.Access.App)); err == nil {
			t.Error("a client got in")
		}
		Must(t, m.Driver.WriteProbe(m.Context(t, verbTime)))
	}},
	{"a barrier can be asked for again and outlives a kill", func(t *testing.T, m *Member) {
		m.Start(t)
		at := m.Promote(t)
		again, err := m.Driver.Barrier(m.Context(t, verbTime), m.session)
		Must(t, err)
		if order := again.Compare(at); order != ha.Equal && order != ha.Ahead {
			t.Errorf("asked again it is at %s, %s to %s", again, order, at)
		}
		m.Kill(t)
		after := m.Start(t)
		if !after.Standby {
			t.Error("after the kill it came up as a primary")
		}
		if order := after.Log.Compare(at); order != ha.Equal && order != ha.Ahead {
			t.Errorf("after the kill the log ends at %s, %s to the barrier at %s", after.Log, order, at)
		}
	}},
	{"every session's log contains the one before it", func(t *testing.T, m *Member) {
		var last ha.Log
		for range 3 {
			m.Start(t)
			at := m.Promote(t)
			if last != nil && at.Compare(last) != ha.Ahead {
				t.Errorf("the barrier at %s is %s to the one before it at %s", at, at.Compare(last), last)
			}
			last = at
			m.Kill(t)
		}
	}},
	{"a second engine on the same directory does not start, and the first goes on", func(t *testing.T, m *Member) {
		m.Lead(t)
		second := m.suite.emptyMember(t, "")
		second.Config.Paths.DataDir = m.Config.Paths.DataDir
		second.Driver = m.Engine.New(second.Config.Paths)
		second.Launch(t)
		// Some engines end at once, others look for minutes whether the first
		// goes away: what counts is that it says why and lets nobody in.
		Eventually(t, startTime, "the second engine says why it cannot start", func() error {
			for _, line := range second.logged() {
				if line.parsed.Level == "error" || line.parsed.Level == "fatal" {
					return nil
				}
			}
			return errors.New("it has logged no error")
		})
		if _, err := second.Driver.Probe(second.Context(t, time.Second)); !notReady(err) {
			t.Errorf("it answers a probe: %v", err)
		}
		Must(t, second.Child.Signal(syscall.SIGKILL)) // a fence would end the first too
		second.AwaitExit(t, fenceTime)
		second.Child = nil
		Must(t, m.Driver.WriteProbe(m.Context(t, verbTime)))
		Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
	}},
	{"gauges are read on a standby and on a primary", func(t *testing.T, m *Member) {
		m.Start(t)
		for _, role := range []string{"standby", "primary"} {
			samples, err := m.Driver.Stats(m.Context(t, verbTime))
			Must(t, err)
			names := map[string]bool{}
			for _, s := range samples {
				names[s.Name] = true
				if s.Help == "" {
					t.Errorf("%s has no help", s.Name)
				}
			}
			if !names["connections"] || !names["max_connections"] {
				t.Errorf("%s: no connections among %v", role, names)
			}
			if role == "standby" {
				m.Promote(t)
			}
		}
	}},
}
