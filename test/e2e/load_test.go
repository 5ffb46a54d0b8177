//go:build e2e

package e2e

import (
	"context"
	"database/sql"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// load writes rows with ids of its own making and remembers which were
// acknowledged. A failed or interrupted write is unknown and its id is never
// used again.
type load struct {
	db    *sql.DB
	stop  context.CancelFunc
	done  sync.WaitGroup
	next  atomic.Int64
	mu    sync.Mutex
	acked []int64
	last  time.Time
	// gap is the longest time between two acknowledgements.
	gap time.Duration
}

// startLoad begins writing with a few clients into a table that it makes.
func startLoad(t *testing.T, db *sql.DB) *load {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), "create table if not exists acknowledged (id bigint primary key)"); err != nil {
		t.Fatalf("making the load's table: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	l := &load{db: db, stop: stop, last: time.Now()}
	for range 4 {
		l.done.Go(func() { l.write(ctx) })
	}
	t.Cleanup(func() { stop(); l.done.Wait() })
	return l
}

func (l *load) write(ctx context.Context) {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
		id := l.next.Add(1)
		limited, cancel := context.WithTimeout(ctx, 5*time.Second)
		_, err := l.db.ExecContext(limited, "insert into acknowledged (id) values ("+digits(id)+")")
		cancel()
		if err == nil {
			l.acknowledge(id)
		}
	}
}

func (l *load) acknowledge(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.gap = max(l.gap, now.Sub(l.last))
	l.last = now
	l.acked = append(l.acked, id)
}

// count is how many writes were acknowledged so far.
func (l *load) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acked)
}

// waitMore waits until n more writes have been acknowledged.
func (l *load) waitMore(t *testing.T, n int, limit time.Duration, why string) time.Duration {
	t.Helper()
	goal := l.count() + n
	return eventually(t, limit, why, func(context.Context) (bool, string) {
		c := l.count()
		return c >= goal, digits(int64(c)) + " of " + digits(int64(goal)) + " acknowledged writes"
	})
}

// check stops the load and fails the test for every acknowledged row that is
// not there.
func (l *load) check(t *testing.T) {
	t.Helper()
	l.stop()
	l.done.Wait()
	rows, err := l.db.QueryContext(t.Context(), "select id from acknowledged")
	if err != nil {
		t.Fatalf("reading the rows back: %v", err)
	}
	defer rows.Close()
	present := map[int64]bool{}
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			t.Fatalf("reading the rows back: %v", err)
		}
		present[id] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("reading the rows back: %v", err)
	}
	lost := 0
	for _, id := range l.acked {
		if !present[id] {
			lost++
			t.Errorf("row %d was acknowledged and is lost", id)
		}
	}
	t.Logf("%d acknowledged, %d lost, %d tried, longest gap %s", len(l.acked), lost, l.next.Load(), l.gap.Round(time.Millisecond))
	if len(l.acked) == 0 {
		t.Error("no write was acknowledged: the load proved nothing")
	}
}
