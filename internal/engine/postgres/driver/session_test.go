package driver

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/myuser/db-operator/internal/engine"
)

func TestAFailedLoginGivesItsPlaceBack(t *testing.T) {
	refused := errors.New("refused")
	var logins atomic.Int32
	h := newHeld(func(context.Context) (*pgx.Conn, error) {
		logins.Add(1)
		return nil, refused
	})
	for range heldSessions + 2 {
		err := h.use(t.Context(), time.Minute, func(context.Context, *pgx.Conn) error {
			t.Error("it was used")
			return nil
		})
		if !errors.Is(err, refused) {
			t.Fatal(err)
		}
	}
	if err := h.open(t.Context()); !errors.Is(err, refused) {
		t.Error(err)
	}
	if err := h.close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := logins.Load(); n != heldSessions+3 {
		t.Errorf("%d logins", n)
	}
}

func TestLoginsThatFailAreToldApart(t *testing.T) {
	for code, want := range map[string]error{"57P03": engine.ErrStarting, "53300": engine.ErrFull} {
		if err := loginError(fmt.Errorf("connecting: %w", &pgconn.PgError{Code: code})); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", code, err, want)
		}
	}
}

func TestWaitingForASessionEnds(t *testing.T) {
	h := newHeld(nil)
	for range heldSessions {
		<-h.slots // all are in use
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.use(ctx, time.Minute, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
