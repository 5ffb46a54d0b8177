package enginetest

import (
	"slices"
	"testing"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/pki"
	"time"
)

var accountCases = []Case{
	{"accounts may do what they are for", func(t *testing.T, m *Member) {
		m.Lead(t)
		for _, role := range []Role{Admin, App} {
			db := m.As(t, role)
			for _, statement := range m.Engine.Dialect.Allowed[role] {
				if err := try(t.Context(), db, statement); err != nil {
					t.Errorf("%s: %s: %v", role, statement, err)
				}
			}
		}
	}},
	{"accounts may do nothing else", func(t *testing.T, m *Member) {
		m.Lead(t)
		for _, role := range []Role{Admin, App} {
			db := m.As(t, role)
			for _, statement := range m.Engine.Dialect.Forbidden[role] {
				if err := try(t.Context(), db, statement); err == nil {
					t.Errorf("%s: %s: it succeeded", role, statement)
				}
			}
			Must(t, m.TryLogin(t.Context(), m.Login(credential(m, role)))) // the engine lives
		}
	}},
	{"accounts that are as described are not written again", func(t *testing.T, m *Member) {
		m.Lead(t)
		var orders []ha.Order
		// The engine may write to its log for reasons of its own meanwhile.
		for range 5 {
			before := m.AwaitKnown(t).Log
			Must(t, m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access))
			orders = append(orders, m.AwaitKnown(t).Log.Compare(before))
		}
		if !slices.Contains(orders, ha.Equal) {
			t.Errorf("the log grew each of five times: %v", orders)
		}
	}},
	{"a changed password is set, and the old one refused", func(t *testing.T, m *Member) {
		m.Lead(t)
		for _, role := range []Role{App, Admin} {
			old := credential(m, role)
			changed := engine.Credential{Name: old.Name, Password: "second ünïcode secret \\ ' \" % $"}
			if role == App {
				m.Access.App = changed
			} else {
				m.Access.Admin = changed
			}
			Must(t, m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access))
			if err := m.TryLogin(t.Context(), m.Login(old)); err == nil {
				t.Errorf("%s: the old password is still good", role)
			}
			if err := m.TryLogin(t.Context(), m.Login(changed)); err != nil {
				t.Errorf("%s: %v", role, err)
			}
		}
	}},
	{"accounts and their passwords outlive a kill", func(t *testing.T, m *Member) {
		m.Lead(t)
		m.Kill(t)
		m.Start(t)
		m.Promote(t)
		m.SetGate(t, engine.GateOpen)
		Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
		Must(t, m.TryLogin(t.Context(), m.Login(m.Access.Admin)))
	}},
	{"a wrong password, no password and an unknown account are refused", func(t *testing.T, m *Member) {
		m.Lead(t)
		for name, c := range map[string]engine.Credential{
			"wrong":   {Name: "app", Password: "wrong"},
			"none":    {Name: "app"},
			"unknown": {Name: "nobody", Password: "x"},
		} {
			if err := m.TryLogin(t.Context(), m.Login(c)); err == nil {
				t.Errorf("%s: it got in", name)
			}
		}
	}},
	{"a replication account takes its own member's certificate and nothing else", func(t *testing.T, m *Member) {
		m.Lead(t)
		stranger, err := pki.NewAuthority("another", time.Now())
		Must(t, err)
		const ordinal = 1
		login := func(gate engine.Gate, name string, welcome bool, change func(*Login)) {
			t.Helper()
			l := m.Login(engine.Credential{})
			change(&l)
			err := m.Engine.Replicate(m.Context(t, loginTime), ordinal, l)
			switch {
			case welcome && err != nil:
				t.Errorf("gate %s, %s: %v", gate, name, err)
			case !welcome && err == nil:
				t.Errorf("gate %s, %s: it got in", gate, name)
			}
		}
		for _, gate := range []engine.Gate{engine.GateOpen, engine.GateClosed} {
			m.SetGate(t, gate)
			login(gate, "its own", true, func(l *Login) { l.TLS = m.withCertificate(t, m.authority, "db-1") })
			login(gate, "another member's", false, func(l *Login) { l.TLS = m.withCertificate(t, m.authority, "db-2") })
			login(gate, "the same name of another authority", false, func(l *Login) { l.TLS = m.withCertificate(t, stranger, "db-1") })
			login(gate, "none", false, func(*Login) {})
			login(gate, "no TLS", false, func(l *Login) { l.TLS = nil })
			login(gate, "a password", false, func(l *Login) { l.Password = m.Access.App.Password })
		}
	}},
}

func credential(m *Member, role Role) engine.Credential {
	if role == Admin {
		return m.Access.Admin
	}
	return m.Access.App
}
