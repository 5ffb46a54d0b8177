package driver

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// probeTime bounds a look whatever time the caller has: who waits longer learns
// nothing but that the engine hangs.
const probeTime = time.Second

// Probe implements engine.Driver: a new login through the socket, as a hanging
// access check would stop it, and one query. The server opens the socket only
// when it has recovered, so ErrStarting never occurs. After the first answer
// two sessions are held open.
func (d *Driver) Probe(ctx context.Context) (engine.Probe, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	var p engine.Probe
	var readOnly bool
	var executed, received string
	err := d.fresh.QueryRowContext(ctx, `SELECT VERSION(), @@GLOBAL.read_only, @@GLOBAL.gtid_executed,
		COALESCE((SELECT GROUP_CONCAT(received_transaction_set) FROM performance_schema.replication_connection_status), '')`).
		Scan(&p.Version, &readOnly, &executed, &received)
	if err != nil {
		return engine.Probe{}, fmt.Errorf("probing: %w", reachable(err))
	}
	if p.Log, err = position(executed, received); err != nil {
		return engine.Probe{}, fmt.Errorf("probing: %w", err)
	}
	if err := d.hold(ctx); err != nil {
		return engine.Probe{}, fmt.Errorf("probing: %w", err)
	}
	if err := d.accountsMade(ctx); err != nil {
		return engine.Probe{}, fmt.Errorf("probing: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	p.Standby = readOnly && !d.promoted
	p.PendingRestart = slices.Clone(d.pending)
	return p, nil
}

// position is the log of a member: what it has executed or received.
func position(executed, received string) (mysql.Set, error) {
	e, err := mysql.ParseSet(executed)
	if err != nil {
		return mysql.Set{}, err
	}
	r, err := mysql.ParseSet(received)
	if err != nil {
		return mysql.Set{}, err
	}
	return e.Union(r), nil
}

// hold opens the sessions that stay open; where they are, it costs nothing.
func (d *Driver) hold(ctx context.Context) error {
	for range heldSessions {
		session, err := d.pool().Conn(ctx)
		if err != nil {
			return reachable(err)
		}
		defer session.Close() // back to the idle ones, when all are open
	}
	return nil
}
