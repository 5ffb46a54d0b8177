package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
)

const (
	// promoteFile in the data directory, with SIGUSR1, is how the server is
	// told to promote; pg_promote and pg_ctl do the same.
	promoteFile = "promote"
	// askAgain: a request made while recovery had hardly begun may be missed.
	askAgain = time.Second
)

// Promote implements engine.Driver. The rule is of one member, so the session
// needs nothing from the engine before its barrier.
//
// It also promotes a server that lets nobody in (see recovery.mute). Local log
// is replayed to its end first, whenever promotion is asked for.
func (d *Driver) Promote(ctx context.Context, s ha.Session) error {
	if err := d.SetGate(ctx, engine.GateClosed); err != nil {
		return fmt.Errorf("promoting for %s: %w", s, err)
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	var asked time.Time
	for {
		standby, err := d.inRecovery(ctx)
		switch {
		case err == nil && !standby:
			return nil
		case err != nil && !errors.Is(err, engine.ErrStarting):
			return fmt.Errorf("promoting for %s: %w", s, err)
		}
		if time.Since(asked) > askAgain {
			if err := d.askPromotion(); err != nil {
				return fmt.Errorf("promoting for %s: %w", s, err)
			}
			asked = time.Now()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("promoting for %s: waiting for recovery to end: %w", s, ctx.Err())
		case <-tick.C:
		}
	}
}

func (d *Driver) askPromotion() error {
	if err := os.WriteFile(filepath.Join(d.paths.DataDir, promoteFile), nil, 0o600); err != nil {
		return err
	}
	return d.signal(syscall.SIGUSR1)
}

func (d *Driver) inRecovery(ctx context.Context) (standby bool, err error) {
	err = d.held.use(ctx, statementTime, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&standby)
	})
	return standby, err
}
