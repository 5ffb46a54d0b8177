package driver

import (
	"context"
	"fmt"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
	"github.com/myuser/db-operator/internal/ha"
)

// Promote implements engine.Driver. offline_mode stays on, so that only
// accounts with CONNECTION_ADMIN can use what becomes writable.
func (d *Driver) Promote(ctx context.Context, s ha.Session) error {
	if d.isPromoted() {
		return nil
	}
	if err := d.SetGate(ctx, engine.GateClosed); err != nil {
		return fmt.Errorf("promoting for session %s: %w", s, err)
	}
	if err := d.applied(ctx); err != nil {
		return fmt.Errorf("promoting for session %s: %w", s, err)
	}
	if err := d.exec(ctx, "SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF"); err != nil {
		return fmt.Errorf("promoting for session %s: %w", s, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.promoted = true
	return nil
}

// applied refuses while something received is not executed: it may have been
// acknowledged. The member of a rule of one has received nothing.
func (d *Driver) applied(ctx context.Context) error {
	var executed, received string
	err := d.pool().QueryRowContext(ctx, `SELECT @@GLOBAL.gtid_executed,
		COALESCE((SELECT GROUP_CONCAT(received_transaction_set) FROM performance_schema.replication_connection_status), '')`).
		Scan(&executed, &received)
	if err != nil {
		return reachable(err)
	}
	e, err := mysql.ParseSet(executed)
	if err != nil {
		return err
	}
	all, err := position(executed, received)
	if err != nil {
		return err
	}
	if left := all.Subtract(e); !left.Empty() {
		return fmt.Errorf("%s is received and not executed yet", left)
	}
	return nil
}

// Barrier implements engine.Driver. The transaction's GTID is known beforehand;
// the server skips one that it has executed (measured), so that
// repeating it changes nothing.
func (d *Driver) Barrier(ctx context.Context, s ha.Session) (ha.Log, error) {
	d.mu.Lock()
	uid := d.config.ClusterUID
	d.mu.Unlock()
	gtid, err := mysql.BarrierGTID(uid, s)
	if err != nil {
		return nil, err
	}
	at, err := d.writeBarrier(ctx, gtid, s)
	if err != nil {
		return nil, fmt.Errorf("writing the barrier of session %s: %w", s, reachable(err))
	}
	return at, nil
}

func (d *Driver) writeBarrier(ctx context.Context, gtid string, s ha.Session) (ha.Log, error) {
	// A session of its own: gtid_next must not leak into another statement.
	session, err := d.fresh.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer session.Close()
	if _, err := session.ExecContext(ctx, "SET gtid_next = "+text(gtid)); err != nil {
		return nil, err
	}
	if _, err := session.ExecContext(ctx, fmt.Sprintf(
		"INSERT INTO ha.session VALUES (1, %[1]d, %[2]d) ON DUPLICATE KEY UPDATE term = %[1]d, incarnation = %[2]d",
		s.Term, s.Incarnation)); err != nil {
		return nil, err
	}
	if _, err := session.ExecContext(ctx, "SET gtid_next = 'AUTOMATIC'"); err != nil {
		return nil, err
	}
	var executed string
	if err := session.QueryRowContext(ctx, "SELECT @@GLOBAL.gtid_executed").Scan(&executed); err != nil {
		return nil, err
	}
	set, err := mysql.ParseSet(executed)
	if err != nil {
		return nil, err
	}
	if want, err := mysql.ParseSet(gtid); err != nil || !set.Contains(want) {
		return nil, fmt.Errorf("%s is not in %s after its commit", gtid, set)
	}
	return set, nil
}
