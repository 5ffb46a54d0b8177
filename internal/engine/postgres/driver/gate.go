package driver

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/myuser/db-operator/internal/engine"
)

// SetGate implements engine.Driver. GateReadOnly is for standbys, which cannot
// write, and GateOpen for primaries: a session could lift any read-only setting
// of a primary.
func (d *Driver) SetGate(ctx context.Context, g engine.Gate) error {
	if err := d.setGate(ctx, g); err != nil {
		return fmt.Errorf("setting the gate to %s: %w", g, err)
	}
	return nil
}

func (d *Driver) setGate(ctx context.Context, g engine.Gate) error {
	if d.config == nil {
		return errors.New("the configuration was never written")
	}
	if g != engine.GateClosed {
		standby, err := d.inRecovery(ctx)
		if err != nil {
			return err
		}
		if standby != (g == engine.GateReadOnly) {
			return fmt.Errorf("the engine is a %s", map[bool]string{true: "standby", false: "primary"}[standby])
		}
	}
	d.gate = g
	if _, err := d.writeFiles(*d.config); err != nil {
		return err
	}
	err := d.signal(syscall.SIGHUP)
	if errors.Is(err, engine.ErrNotRunning) && g == engine.GateClosed {
		return nil // nobody is in, and the next start begins closed
	}
	if err != nil {
		return err
	}
	if err := d.awaitKnock(ctx, g == engine.GateClosed); err != nil {
		return err
	}
	if g != engine.GateClosed {
		return nil
	}
	return d.endClients(ctx)
}

// awaitKnock waits until a client is refused, or is not.
func (d *Driver) awaitKnock(ctx context.Context, refused bool) error {
	tick := time.NewTicker(lookEvery / 4)
	defer tick.Stop()
	for {
		k, err := knock(ctx)
		if err == nil && k.refused == refused {
			return nil
		}
		if errors.Is(err, engine.ErrNotRunning) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for the server to read the file of logins (last: refused %t, %v): %w", k.refused, err, ctx.Err())
		case <-tick.C:
		}
	}
}

// loginGrace is for logins of the agent itself: a client halfway in is told
// from one only when its login is complete.
const loginGrace = 200 * time.Millisecond

// endClients ends all sessions of clients, also those that have begun to log in
// under the old file and do not show in any view yet. New ones are refused by
// now, so the processes there are now are all there is to end.
func (d *Driver) endClients(ctx context.Context) error {
	pid, err := d.postmaster()
	if err != nil {
		return err
	}
	left, err := backends(pid)
	if err != nil {
		return err
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for begin := time.Now(); ; {
		kinds, err := d.kinds(ctx)
		if errors.Is(err, engine.ErrStarting) {
			return nil // it has let nobody in since it started
		}
		if err != nil {
			return err
		}
		left = stillClients(left, kinds)
		clients := 0
		for _, k := range kinds {
			if k == client {
				clients++
			}
		}
		if len(left) == 0 && clients == 0 {
			return nil
		}
		if err := d.terminate(ctx, left, kinds, time.Since(begin) > loginGrace); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d sessions of clients to end: %w", len(left), ctx.Err())
		case <-tick.C:
		}
	}
}

// kind tells what a process of the server is.
type kind int

const (
	unseen kind = iota // not shown: it is logging in, or ending
	ours
	client
)

// stillClients leaves out the dead, the server's own and the agent's.
func stillClients(all []backend, kinds map[int]kind) []backend {
	var left []backend
	for _, b := range all {
		if kinds[b.pid] != ours && b.alive() {
			left = append(left, b)
		}
	}
	return left
}

// kinds asks what the processes are. The agent's sessions are known by what no
// client can have: the superuser, who comes in through the socket only.
func (d *Driver) kinds(ctx context.Context) (map[int]kind, error) {
	all := map[int]kind{}
	err := d.held.use(ctx, statementTime, func(ctx context.Context, conn *pgx.Conn) error {
		rows, err := conn.Query(ctx, `
			SELECT pid, backend_type = 'client backend'
			       AND NOT (usesysid = 10 AND application_name = $1)
			FROM pg_stat_activity WHERE backend_type IS NOT NULL`, application)
		if err != nil {
			return err
		}
		var pid int
		var isClient bool
		_, err = pgx.ForEachRow(rows, []any{&pid, &isClient}, func() error {
			all[pid] = ours
			if isClient {
				all[pid] = client
			}
			return nil
		})
		return err
	})
	return all, err
}

// terminate asks sessions to end, and logins that do not get on too.
func (d *Driver) terminate(ctx context.Context, left []backend, kinds map[int]kind, impatient bool) error {
	for _, b := range left {
		if kinds[b.pid] == unseen && impatient && b.alive() {
			if err := syscall.Kill(b.pid, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
				return fmt.Errorf("ending a login: %w", err)
			}
		}
	}
	return d.held.use(ctx, statementTime, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE backend_type = 'client backend' AND NOT (usesysid = 10 AND application_name = $1)`, application)
		return err
	})
}
