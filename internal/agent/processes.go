package agent

import (
	"context"
	"log/slog"
	"syscall"

	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/engine"
)

// processes starts and fences engines.
type processes interface {
	Start(engine.Process) (child, error)
	// Fence kills every process of the engine and proves it. The child may be
	// nil.
	Fence(context.Context, child) error
}

// child is the engine's main process.
type child interface {
	Exited() <-chan struct{}
	Exit() supervise.Exit
	Signal(syscall.Signal) error
	LastErrors() []string
}

// guardian is the process that fences when this one cannot.
type guardian interface {
	Allow(supervise.Token) error
	Exited() <-chan struct{}
	Fenced() <-chan struct{}
	Close() error
}

// real is the processes of the operating system.
type real struct{ logger *slog.Logger }

func (r real) Start(p engine.Process) (child, error) {
	c, err := supervise.Start(p, r.logger)
	if err != nil {
		return nil, err // not a child that is nil
	}
	return c, nil
}

func (r real) Fence(ctx context.Context, c child) error {
	started, _ := c.(*supervise.Child)
	return supervise.Fence(ctx, started)
}
