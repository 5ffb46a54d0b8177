package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
	"github.com/myuser/db-operator/internal/ha"
)

// look is all that a probe asks, in one statement. A standby's timeline is the
// later of what the control file knows from the last checkpoint and from
// recovery; a primary's own shows in the names of the files it writes.
const look = `
SELECT current_setting('server_version'),
       r.standby,
       CASE WHEN r.standby THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())
            ELSE pg_current_wal_flush_lsn() END::text,
       CASE WHEN r.standby THEN '' ELSE pg_walfile_name(pg_current_wal_flush_lsn()) END,
       greatest((SELECT timeline_id FROM pg_control_checkpoint()),
                (SELECT min_recovery_end_timeline FROM pg_control_recovery())),
       pg_postmaster_start_time()::text,
       coalesce((SELECT wait_event = 'RecoveryRetrieveRetryInterval' FROM pg_stat_activity
                 WHERE backend_type = 'startup'), false),
       pg_last_wal_receive_lsn() IS NOT NULL,
       coalesce((SELECT string_agg(name, ',' ORDER BY name) FROM pg_settings WHERE pending_restart), '')
FROM (SELECT pg_is_in_recovery() AS standby) r`

// looked is the answer.
type looked struct {
	version  string
	standby  bool
	lsn      *string
	walFile  string
	timeline int64
	started  string
	parked   bool
	received bool
	pending  string
}

// parking remembers that recovery was seen waiting for more log: in which run
// of the server, and how far it had come.
type parking struct {
	started string
	lsn     string
}

// Probe implements engine.Driver. Of a server that lets nobody in before it is
// promoted it knows no more than that it is a standby.
func (d *Driver) Probe(ctx context.Context) (engine.Probe, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*loginTime)
	defer cancel()
	conn, err := d.loginSoon(ctx)
	if errors.Is(err, engine.ErrStarting) && d.recovery.mute() {
		return engine.Probe{Standby: true}, nil // promotion is what it waits for
	}
	if err != nil {
		return engine.Probe{}, err
	}
	defer func() { _ = conn.Close(ctx) }() // whether it says goodbye does not matter
	l, err := ask(ctx, conn)
	if err != nil {
		return engine.Probe{}, fmt.Errorf("probing: %w", err)
	}
	if err := d.held.open(ctx); err != nil {
		return engine.Probe{}, fmt.Errorf("probing: opening sessions: %w", err)
	}
	version, _, _ := strings.Cut(l.version, " ")
	probe := engine.Probe{Version: version, Standby: l.standby}
	if l.pending != "" {
		probe.PendingRestart = strings.Split(l.pending, ",")
	}
	if position, known := d.position(l); known {
		probe.Log = position
	}
	return probe, nil
}

func (d *Driver) loginSoon(ctx context.Context) (*pgx.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	return d.login(ctx)
}

func ask(ctx context.Context, conn *pgx.Conn) (looked, error) {
	var l looked
	err := conn.QueryRow(ctx, look).Scan(
		&l.version, &l.standby, &l.lsn, &l.walFile, &l.timeline, &l.started, &l.parked, &l.received, &l.pending)
	return l, err
}

// position is how far the log reaches. A standby that has had no source since
// it started shows less than it holds while it replays: its position is known
// once recovery was seen twice to wait for more at the same place.
func (d *Driver) position(l looked) (ha.Log, bool) {
	if l.lsn == nil || l.standby && !l.received && !d.parkedTwice(l) {
		return nil, false
	}
	lsn, err := postgres.ParseLSN(*l.lsn)
	if err != nil {
		return nil, false
	}
	timeline := uint32(l.timeline)
	if !l.standby {
		if timeline, err = walTimeline(l.walFile); err != nil {
			return nil, false
		}
	}
	history, ok := d.history(timeline)
	if !ok {
		return nil, false
	}
	return postgres.Position{Timeline: timeline, LSN: lsn, History: history}, true
}

func (d *Driver) parkedTwice(l looked) bool {
	d.parkedMutex.Lock()
	defer d.parkedMutex.Unlock()
	now := parking{}
	if l.parked {
		now = parking{started: l.started, lsn: *l.lsn}
	}
	twice := l.parked && d.parked == now
	d.parked = now
	return twice
}

// walTimeline reads the timeline from the name of a log file: its first eight
// hexadecimal digits.
func walTimeline(file string) (uint32, error) {
	if len(file) != 24 {
		return 0, fmt.Errorf("reading the timeline of log file %q", file)
	}
	timeline, err := strconv.ParseUint(file[:8], 16, 32)
	return uint32(timeline), err
}

// history reads the timeline's ancestors from the server's own file.
func (d *Driver) history(timeline uint32) ([]postgres.Switch, bool) {
	if timeline == 1 {
		return nil, true
	}
	text, err := os.ReadFile(filepath.Join(d.paths.DataDir, "pg_wal", postgres.HistoryFile(timeline)))
	if err != nil {
		return nil, false
	}
	history, err := postgres.ParseHistory(string(text))
	return history, err == nil
}
