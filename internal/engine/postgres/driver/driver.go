package driver

import (
	"context"
	"sync"
	"syscall"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// Driver implements engine.Driver.
type Driver struct {
	paths   engine.Paths
	profile postgres.Profile
	held    *held

	// config and gate are what the rendered files say.
	config *engine.Config
	gate   engine.Gate

	parkedMutex sync.Mutex
	parked      parking
	recovery    recovery
}

var _ engine.Driver = (*Driver)(nil)

// New is the driver of the member with these paths. It does nothing yet.
func New(paths engine.Paths) *Driver {
	d := &Driver{paths: paths}
	d.held = newHeld(d.login)
	return d
}

// StopSignal implements engine.Driver: the fast shutdown, which ends sessions
// and writes a checkpoint.
// https://www.postgresql.org/docs/current/server-shutdown.html
func (d *Driver) StopSignal() syscall.Signal { return syscall.SIGINT }

// Close implements engine.Driver.
func (d *Driver) Close() error { return d.held.close(context.Background()) }
