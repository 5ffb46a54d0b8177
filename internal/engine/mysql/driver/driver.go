package driver

import (
	"database/sql"
	"sync"
	"syscall"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// Driver implements engine.Driver for one member.
type Driver struct {
	paths   engine.Paths
	profile mysql.Profile
	// fresh logs in anew for every use, as a client would.
	fresh *sql.DB
	beat  beat

	mu sync.Mutex
	// held keeps sessions open: a statement on accounts that waits for an
	// acknowledgement blocks every new login, but not these (measured). It is
	// nil until it is used and after Close.
	held   *sql.DB
	config engine.Config // as last given to Configure
	// written is what the files say, running what the server has taken of it.
	written, running map[string]string
	pending          []string
	// promoted since the server was started. MySQL knows only read-only, which
	// a primary may be too.
	promoted bool
	gate     engine.Gate
}

var _ engine.Driver = (*Driver)(nil)

// heldSessions stay open while the server runs.
const heldSessions = 2

// New makes the driver of the member that lives at these paths. It does no I/O.
func New(paths engine.Paths) *Driver {
	fresh := openPool(localLogin(paths))
	fresh.SetMaxIdleConns(-1) // none
	return &Driver{paths: paths, fresh: fresh}
}

// StopSignal makes mysqld end its sessions and flush. Idle sessions, held ones
// too, delay it by two seconds (measured): shut the gate and Close before.
func (d *Driver) StopSignal() syscall.Signal { return syscall.SIGTERM }

// Close implements engine.Driver. The next verb opens sessions again.
func (d *Driver) Close() error {
	d.beat.close()
	d.mu.Lock()
	held := d.held
	d.held = nil
	d.mu.Unlock()
	if held != nil {
		_ = held.Close() // says only that the server had gone before
	}
	return nil
}

// pool is the one whose sessions are held.
func (d *Driver) pool() *sql.DB {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held == nil {
		d.held = openPool(localLogin(d.paths))
		d.held.SetMaxOpenConns(heldSessions + 2)
		d.held.SetMaxIdleConns(heldSessions)
	}
	return d.held
}

// isPromoted tells whether Promote has succeeded since the last start.
func (d *Driver) isPromoted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.promoted
}
