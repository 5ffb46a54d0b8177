package enginetest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

// loginTime bounds one attempt of a client.
const loginTime = 5 * time.Second

// Login is how this account connects over verified TLS.
func (m *Member) Login(c engine.Credential) Login {
	return Login{
		Address:  net.JoinHostPort("127.0.0.1", strconv.Itoa(int(m.Engine.Profile.Port()))),
		Database: m.Access.Database, User: c.Name, Password: c.Password, TLS: m.VerifyFull(),
	}
}

// Client is the application's pool of one connection at most.
func (m *Member) Client(t *testing.T) *sql.DB { return m.Open(t, m.Login(m.Access.App)) }

// As is the pool of one of the accounts.
func (m *Member) As(t *testing.T, role Role) *sql.DB {
	if role == Admin {
		return m.Open(t, m.Login(m.Access.Admin))
	}
	return m.Client(t)
}

// Open is a client's pool of one connection at most, closed with the test.
func (m *Member) Open(t *testing.T, l Login) *sql.DB {
	t.Helper()
	db, err := m.Engine.Open(l)
	Must(t, err)
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { _ = db.Close() }) // its engine may be dead by now
	return db
}

// TryLogin logs in anew and hangs up.
func (m *Member) TryLogin(ctx context.Context, l Login) error {
	db, err := m.Engine.Open(l)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	_, err = db.ExecContext(ctx, "SELECT 1")
	return errors.Join(err, db.Close())
}

// Exec must succeed.
func Exec(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if err := try(t.Context(), db, statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func try(ctx context.Context, db *sql.DB, statement string) error {
	ctx, cancel := context.WithTimeout(ctx, verbTime)
	defer cancel()
	_, err := db.ExecContext(ctx, statement)
	return err
}

// Ask returns the one value that the query gives, as text.
func Ask(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	var value string
	if err := db.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// createEntries makes the table into which the cases write.
func createEntries(t *testing.T, db *sql.DB) {
	t.Helper()
	Exec(t, db, "CREATE TABLE entries (id BIGINT PRIMARY KEY, body TEXT)")
}

// insert writes one row and returns nil once the engine has acknowledged it.
func insert(ctx context.Context, db *sql.DB, id int64, body string) error {
	_, err := db.ExecContext(ctx, fmt.Sprintf("INSERT INTO entries VALUES (%d, '%s')", id, body))
	return err
}

// missing lists acknowledged ids that the table does not hold.
func missing(t *testing.T, db *sql.DB, acknowledged []int64) []int64 {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), "SELECT id FROM entries")
	Must(t, err)
	defer rows.Close()
	there := map[int64]bool{}
	for rows.Next() {
		var id int64
		Must(t, rows.Scan(&id))
		there[id] = true
	}
	Must(t, rows.Err())
	var lost []int64
	for _, id := range acknowledged {
		if !there[id] {
			lost = append(lost, id)
		}
	}
	return lost
}
