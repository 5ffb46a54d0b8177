package enginetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

var gateCases = []Case{
	{"a closed gate ends sessions and refuses new ones, and opens again", func(t *testing.T, m *Member) {
		m.Lead(t)
		for range 2 {
			session, err := m.Client(t).Conn(t.Context())
			Must(t, err)
			defer session.Close()
			if _, err := session.ExecContext(t.Context(), "SELECT 1"); err != nil {
				t.Fatal(err)
			}
			m.SetGate(t, engine.GateClosed)
			if _, err := session.ExecContext(t.Context(), "SELECT 1"); err == nil {
				t.Error("an old session goes on")
			}
			for _, c := range []engine.Credential{m.Access.App, m.Access.Admin} {
				if err := m.TryLogin(t.Context(), m.Login(c)); err == nil {
					t.Errorf("%s got in", c.Name)
				}
			}
			m.SetGate(t, engine.GateClosed) // asked again
			m.SetGate(t, engine.GateOpen)
			Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
		}
	}},
	{"nobody slips in while the gate closes", func(t *testing.T, m *Member) {
		m.Lead(t)
		ctx, stop := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		var mutex sync.Mutex
		var latest time.Time // when the last accepted login began
		for range 8 {
			clients.Go(func() {
				for ctx.Err() == nil {
					begin := time.Now()
					if m.TryLogin(ctx, m.Login(m.Access.App)) == nil {
						mutex.Lock()
						if begin.After(latest) {
							latest = begin
						}
						mutex.Unlock()
					}
				}
			})
		}
		Eventually(t, verbTime, "clients get in", func() error {
			mutex.Lock()
			defer mutex.Unlock()
			if latest.IsZero() {
				return engine.ErrNotRunning
			}
			return nil
		})
		m.SetGate(t, engine.GateClosed)
		closed := time.Now()
		pause(t, 500*time.Millisecond) // they go on trying
		stop()
		clients.Wait()
		if latest.After(closed) {
			t.Errorf("a login that began %s after the gate was closed got in", latest.Sub(closed))
		}
	}},
	{"closing the gate ends a running statement", func(t *testing.T, m *Member) {
		m.Lead(t)
		result := make(chan error, 1)
		db := m.Client(t)
		Exec(t, db, "SELECT 1")
		go func() { result <- try(t.Context(), db, m.Engine.Dialect.Sleep) }()
		pause(t, 300*time.Millisecond) // the statement has begun
		m.SetGate(t, engine.GateClosed)
		select {
		case err := <-result:
			if err == nil {
				t.Error("the statement ended well")
			}
		case <-time.After(5 * time.Second):
			t.Error("the statement goes on")
		}
	}},
	{"a standby's gate lets readers in and their sessions end before it is promoted", func(t *testing.T, m *Member) {
		m.Lead(t)
		createEntries(t, m.Client(t))
		m.Stop(t)
		m.Start(t)
		if err := m.TryLogin(t.Context(), m.Login(m.Access.App)); err == nil {
			t.Error("a client got in right after the start")
		}
		m.SetGate(t, engine.GateReadOnly)
		session, err := m.Client(t).Conn(t.Context())
		Must(t, err)
		defer session.Close()
		if _, err := session.ExecContext(t.Context(), "SELECT COUNT(*) FROM entries"); err != nil {
			t.Error(err)
		}
		if _, err := session.ExecContext(t.Context(), "INSERT INTO entries VALUES (1, 'x')"); err == nil {
			t.Error("a standby took a write")
		}
		m.Promote(t)
		if _, err := session.ExecContext(t.Context(), "SELECT 1"); err == nil {
			t.Error("the reader's session outlived the promotion")
		}
		if err := m.TryLogin(t.Context(), m.Login(m.Access.App)); err == nil {
			t.Error("a client got in after the promotion")
		}
	}},
	{"the gate is closed after every start, whatever it was", func(t *testing.T, m *Member) {
		m.Lead(t)
		m.Kill(t)
		m.Start(t)
		if err := m.TryLogin(t.Context(), m.Login(m.Access.App)); err == nil {
			t.Error("a client got in")
		}
	}},
}
