package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

const (
	// loginTime: a healthy server answers a probe within milliseconds.
	loginTime = 300 * time.Millisecond
	// statementTime bounds one of the agent's own short statements, with the
	// login that it may need on a machine that is busy.
	statementTime = 5 * time.Second
	// lookEvery is the pause between two looks at something that is to change.
	lookEvery = 10 * time.Millisecond
	// application marks the agent's own sessions, which the gate leaves alone.
	application = "db-operator agent"

	port = 5432
)

// SQLSTATEs on which something here depends.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	cannotConnectNow     = "57P03"
	tooManyConnections   = "53300"
	invalidAuthorization = "28000"
)

// login makes a new session as the superuser over the unix socket. Settings of
// the user that would hinder the agent are overridden for it.
func (d *Driver) login(ctx context.Context) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig("sslmode=disable")
	if err != nil {
		return nil, fmt.Errorf("logging in: %w", err)
	}
	config.Host, config.Port = d.socketDir(), port
	config.User, config.Password, config.Database = postgres.Superuser, "", "postgres"
	config.TLSConfig, config.Fallbacks = nil, nil
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.RuntimeParams = map[string]string{
		"application_name": application,
		// Nobody acknowledges the agent's own writes: it must go on when no
		// follower does.
		"synchronous_commit":            "local",
		"default_transaction_read_only": "off",
		"default_transaction_isolation": "read committed",
		"statement_timeout":             "0",
		"lock_timeout":                  "0",
		"idle_session_timeout":          "0",
		"search_path":                   "pg_catalog",
		// Verifiers of passwords are in statements: they go to no log.
		"log_statement":              "none",
		"log_min_duration_statement": "-1",
		"log_min_error_statement":    "panic",
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, loginError(err)
	}
	return conn, nil
}

// loginError tells the states of a server apart that does not let the agent in.
func loginError(err error) error {
	var refusal *pgconn.PgError
	switch {
	case errors.As(err, &refusal) && refusal.Code == cannotConnectNow:
		return engine.ErrStarting
	case errors.As(err, &refusal) && refusal.Code == tooManyConnections:
		return fmt.Errorf("%w: %w", engine.ErrFull, err)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return engine.ErrNotRunning
	default:
		return fmt.Errorf("logging in: %w", err)
	}
}

// held are the agent's two open sessions. They are there before they are
// needed, because there are states in which the server lets nobody in and only
// open sessions can still end them.
type held struct {
	login func(context.Context) (*pgx.Conn, error)
	// slots holds the sessions that nobody uses now; nil is one that has to be
	// opened.
	slots chan *pgx.Conn
}

const heldSessions = 2

func newHeld(login func(context.Context) (*pgx.Conn, error)) *held {
	h := &held{login: login, slots: make(chan *pgx.Conn, heldSessions)}
	for range heldSessions {
		h.slots <- nil
	}
	return h
}

// use runs do with one of the sessions, opening it if need be. The context that
// do gets ends after the limit.
func (h *held) use(ctx context.Context, limit time.Duration, do func(context.Context, *pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	conn, err := h.take(ctx)
	if err != nil {
		return err
	}
	defer h.give(conn)
	return do(ctx, conn)
}

func (h *held) take(ctx context.Context) (*pgx.Conn, error) {
	var conn *pgx.Conn
	select {
	case conn = <-h.slots:
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a session: %w", ctx.Err())
	}
	if conn != nil && alive(ctx, conn) {
		return conn, nil
	}
	conn, err := h.login(ctx)
	if err != nil {
		h.slots <- nil
		return nil, err
	}
	return conn, nil
}

// alive looks at the socket of an idle session: its engine may have ended since
// it was used. What the server has said unasked is read first.
func alive(ctx context.Context, conn *pgx.Conn) bool {
	for !conn.IsClosed() {
		waiting, open := peek(conn)
		if !open {
			break
		}
		if !waiting {
			return true
		}
		if _, err := conn.PgConn().ReceiveMessage(ctx); err != nil {
			break
		}
	}
	_ = conn.PgConn().Conn().Close() // nobody is there to say goodbye to
	return false
}

// peek tells without waiting whether something can be read, and whether the
// other side is still there.
func peek(conn *pgx.Conn) (waiting, open bool) {
	socket, ok := conn.PgConn().Conn().(syscall.Conn)
	if !ok {
		return false, false
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return false, false
	}
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		waiting = err == nil && n > 0
		open = waiting || errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)
	})
	return waiting, open && err == nil
}

func (h *held) give(conn *pgx.Conn) {
	if conn.IsClosed() {
		conn = nil
	}
	h.slots <- conn
}

// open opens those that are not, without waiting for those in use.
func (h *held) open(ctx context.Context) error {
	for range heldSessions {
		select {
		case conn := <-h.slots:
			if conn == nil || !alive(ctx, conn) {
				opened, err := h.login(ctx)
				if err != nil {
					h.slots <- nil
					return err
				}
				conn = opened
			}
			h.slots <- conn
		default:
		}
	}
	return nil
}

// close ends the sessions; they are opened again on demand.
func (h *held) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	for range heldSessions {
		select {
		case conn := <-h.slots:
			if conn != nil {
				_ = conn.Close(ctx) // a dead engine's session cannot say goodbye
			}
			h.slots <- nil
		case <-ctx.Done():
			return fmt.Errorf("closing sessions: %w", ctx.Err())
		}
	}
	return nil
}
