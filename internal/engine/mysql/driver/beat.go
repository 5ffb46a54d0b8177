package driver

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// beat is the one write under way. A commit on a full volume, or one that waits
// for acknowledgements, does not end when its client gives up: whoever asks
// again joins it, so that probes never pile up in the server.
type beat struct {
	mu      sync.Mutex
	running *write
}

type write struct {
	done   chan struct{}
	err    error
	cancel context.CancelFunc
}

const beatStatement = "INSERT INTO ha.beat VALUES (1, NOW(6)) ON DUPLICATE KEY UPDATE at = NOW(6)"

// WriteProbe implements engine.Driver. When ctx ends first, the write goes on
// and the next call waits for the same one. On a full volume that lasts until
// space is free: the server looks again every minute, or at once if restarted.
func (d *Driver) WriteProbe(ctx context.Context) error {
	w := d.beat.start(d.pool())
	select {
	case <-w.done:
	case <-ctx.Done():
		return fmt.Errorf("waiting for a row to be written: %w", ctx.Err())
	}
	if w.err != nil {
		return fmt.Errorf("writing a row: %w", reachable(w.err))
	}
	return nil
}

// start begins a write, or returns the one under way.
func (b *beat) start(pool *sql.DB) *write {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.running != nil {
		return b.running
	}
	ctx, cancel := context.WithCancel(context.Background())
	w := &write{done: make(chan struct{}), cancel: cancel}
	b.running = w
	go func() {
		defer cancel()
		_, w.err = pool.ExecContext(ctx, beatStatement)
		b.mu.Lock()
		b.running = nil
		b.mu.Unlock()
		close(w.done)
	}()
	return w
}

// close gives up the write under way and waits for its end.
func (b *beat) close() {
	b.mu.Lock()
	w := b.running
	b.mu.Unlock()
	if w != nil {
		w.cancel()
		<-w.done
	}
}
