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

	// held keeps sessions open: a statement on accounts that waits for an
	// acknowledgement blocks every new login, but not these (ha.md 15).
	held *sql.DB
	// fresh logs in anew for every use, as a client would.
	fresh *sql.DB
	beat  beat

	mu     sync.Mutex
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

// New makes the driver of the member that lives at these paths. It does no I/O.
func New(paths engine.Paths) *Driver {
	held := openPool(localLogin(paths))
	held.SetMaxOpenConns(heldSessions + 2)
	held.SetMaxIdleConns(heldSessions)
	fresh := openPool(localLogin(paths))
	fresh.SetMaxIdleConns(-1) // none
	return &Driver{paths: paths, held: held, fresh: fresh}
}

// heldSessions stay open while the server runs.
const heldSessions = 2

// StopSignal makes mysqld end its sessions and flush.
func (d *Driver) StopSignal() syscall.Signal { return syscall.SIGTERM }

// Close gives up all sessions. The server goes on.
func (d *Driver) Close() error {
	d.beat.close()
	d.fresh.Close() // holds nothing
	return d.held.Close()
}

// isPromoted tells whether Promote has succeeded since the last start.
func (d *Driver) isPromoted() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.promoted
}
