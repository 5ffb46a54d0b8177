package driver

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/myuser/db-operator/internal/ha"
)

// schema holds the agent's own tables. Who leads and since when is no secret.
const schema = `
CREATE SCHEMA IF NOT EXISTS ha;
CREATE TABLE IF NOT EXISTS ha.term (
    term bigint, incarnation bigint, since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (term, incarnation));
CREATE TABLE IF NOT EXISTS ha.beat (one boolean PRIMARY KEY DEFAULT true CHECK (one), at timestamptz NOT NULL);
GRANT USAGE ON SCHEMA ha TO PUBLIC;
GRANT SELECT ON ha.term TO PUBLIC`

var errNoPosition = errors.New("the log's position cannot be read")

// Barrier implements engine.Driver: a row of the session in ha.term, flushed
// locally (the held sessions commit with synchronous_commit=local).
func (d *Driver) Barrier(ctx context.Context, s ha.Session) (ha.Log, error) {
	var at ha.Log
	err := d.held.use(ctx, statementTime, func(ctx context.Context, conn *pgx.Conn) error {
		if err := ensureSchema(ctx, conn); err != nil {
			return err
		}
		if _, err := conn.Exec(ctx,
			"INSERT INTO ha.term (term, incarnation) VALUES ($1, $2) ON CONFLICT DO NOTHING", s.Term, s.Incarnation); err != nil {
			return err
		}
		l, err := ask(ctx, conn)
		if err != nil {
			return err
		}
		position, known := d.position(l)
		if l.standby || !known {
			return errNoPosition
		}
		at = position
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("writing the barrier of %s: %w", s, err)
	}
	return at, nil
}

// ensureSchema makes the tables where they are not, and writes nothing else.
func ensureSchema(ctx context.Context, conn *pgx.Conn) error {
	var there bool
	if err := conn.QueryRow(ctx, "SELECT to_regclass('ha.beat') IS NOT NULL").Scan(&there); err != nil || there {
		return err
	}
	_, err := conn.Exec(ctx, schema, pgx.QueryExecModeSimpleProtocol)
	return err
}

// WriteProbe implements engine.Driver: a commit that waits for whatever a
// client's would.
func (d *Driver) WriteProbe(ctx context.Context) error {
	err := d.held.use(ctx, statementTime, func(ctx context.Context, conn *pgx.Conn) error {
		return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, "SET LOCAL synchronous_commit = on"); err != nil {
				return err
			}
			_, err := tx.Exec(ctx,
				"INSERT INTO ha.beat (at) VALUES (clock_timestamp()) ON CONFLICT (one) DO UPDATE SET at = excluded.at")
			return err
		})
	})
	if err != nil {
		return fmt.Errorf("writing a probe: %w", err)
	}
	return nil
}
