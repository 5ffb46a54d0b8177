package enginetest

import (
	"slices"
	"testing"

	"github.com/myuser/db-operator/internal/engine"
)

// configure must succeed and returns what waits for a restart.
func (m *Member) configure(t *testing.T, parameters map[string]string) []string {
	t.Helper()
	m.Config.Parameters = parameters
	pending, err := m.Driver.Configure(m.Context(t, verbTime), m.Config)
	Must(t, err)
	return pending
}

func (m *Member) expectShown(t *testing.T, s Setting, which int) {
	t.Helper()
	if got := Ask(t, m.As(t, Admin), s.Show); got != s.Shown[which] {
		t.Errorf("%s is %q in force, want %q", s.Name, got, s.Shown[which])
	}
}

var configureCases = []Case{
	{"a setting that can change at once does, there and back", func(t *testing.T, m *Member) {
		s := m.Engine.Dialect.Reloadable
		m.Lead(t)
		for _, which := range []int{0, 1, 0} {
			if pending := m.configure(t, map[string]string{s.Name: s.Values[which]}); len(pending) > 0 {
				t.Errorf("%q wait for a restart", pending)
			}
			m.expectShown(t, s, which)
		}
	}},
	{"a setting that needs a restart is reported until it is in force, or taken back", func(t *testing.T, m *Member) {
		s := m.Engine.Dialect.Restarting
		first, second := map[string]string{s.Name: s.Values[0]}, map[string]string{s.Name: s.Values[1]}
		m.Config.Parameters = first
		m.Lead(t)
		m.expectShown(t, s, 0)
		expectPending := func(got []string, want ...string) {
			t.Helper()
			if !slices.Equal(got, want) {
				t.Errorf("%q wait for a restart, want %q", got, want)
			}
			if probe := m.AwaitKnown(t); !slices.Equal(probe.PendingRestart, want) {
				t.Errorf("the probe says that %q wait for a restart, want %q", probe.PendingRestart, want)
			}
		}
		expectPending(m.configure(t, second), s.Name)
		m.expectShown(t, s, 0)
		expectPending(m.configure(t, second), s.Name) // asked again, nothing changed
		expectPending(m.configure(t, first))          // taken back
		expectPending(m.configure(t, second), s.Name)
		m.Stop(t)
		m.Lead(t)
		m.expectShown(t, s, 1)
		expectPending(m.configure(t, second))
	}},
	{"memory settings follow the container", func(t *testing.T, m *Member) {
		for _, memory := range []int64{512 << 20, 1 << 30} {
			m.Config.Memory = memory
			m.Lead(t)
			if got, want := Ask(t, m.As(t, Admin), m.Engine.Dialect.Memory.Show), m.Engine.Dialect.Memory.Want(memory); got != want {
				t.Errorf("with %d bytes: %q, want %q", memory, got, want)
			}
			m.Stop(t)
		}
	}},
	{"every rendered setting is in force after a start", func(t *testing.T, m *Member) {
		s := m.Engine.Dialect.Reloadable
		m.Config.Parameters = map[string]string{s.Name: s.Values[1]}
		m.Lead(t)
		m.expectShown(t, s, 1)
		if probe := m.AwaitKnown(t); len(probe.PendingRestart) > 0 {
			t.Errorf("%q wait for a restart", probe.PendingRestart)
		}
	}},
	{"the gate survives a change of configuration", func(t *testing.T, m *Member) {
		s := m.Engine.Dialect.Reloadable
		m.Lead(t)
		m.configure(t, map[string]string{s.Name: s.Values[1]})
		Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
		m.SetGate(t, engine.GateClosed)
		m.configure(t, map[string]string{s.Name: s.Values[0]})
		if err := m.TryLogin(t.Context(), m.Login(m.Access.App)); err == nil {
			t.Error("a client got in")
		}
	}},
}
