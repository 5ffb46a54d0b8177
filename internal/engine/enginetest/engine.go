package enginetest

import (
	"context"
	"crypto/tls"
	"database/sql"
	"testing"

	"github.com/myuser/db-operator/internal/engine"
)

// Engine describes the engine under test to the suite.
type Engine struct {
	Profile engine.Profile
	// New makes the driver under test.
	New func(engine.Paths) engine.Driver
	// Version asks the installed program, as spec.version has it ("17.6"). An
	// error means that there is none.
	Version func() (string, error)
	// Open makes a client's pool. It need not connect.
	Open func(Login) (*sql.DB, error)
	// Replicate logs in as the member of this ordinal does to replicate, and
	// hangs up. It returns nil if the engine let it in.
	Replicate func(ctx context.Context, ordinal int, l Login) error
	// Spare is how many bytes are left beside a fresh member on the small
	// volume before the suite fills it.
	Spare   int64
	Dialect Dialect
	// Cases are the engine's own, after the common ones.
	Cases []Case
}

// Login is how a client reaches the engine.
type Login struct {
	Address                  string // host:port
	Database, User, Password string
	TLS                      *tls.Config // nil: without TLS
}

// Dialect holds the statements in which engines differ.
type Dialect struct {
	// Sleep runs for a minute.
	Sleep string
	// Broken is a statement of several lines that the engine logs as an error,
	// or "" if it logs none.
	Broken string
	// Reloadable takes effect at once, Restarting at the next start.
	Reloadable, Restarting Setting
	// Memory is a setting that follows the container's memory.
	Memory MemorySetting
	// Allowed and Forbidden are what the accounts may and may not do, one
	// statement each, run in this order by the account in its database.
	Allowed, Forbidden map[Role][]string
}

// Role is one of the accounts with a password.
type Role string

// The accounts of engine.Accounts.
const (
	App   Role = "app"
	Admin Role = "admin"
)

// Setting is a parameter, two of its values as users write them, and how the
// engine shows them.
type Setting struct {
	Name   string
	Values [2]string
	Show   string // a query for the value in force
	Shown  [2]string
}

// MemorySetting is checked for two sizes of the container.
type MemorySetting struct {
	Show string // a query for its value
	Want func(memory int64) string
}

// Case is one thing that must hold. The member has its directory and its
// configuration, and does not run. Whatever the case starts is ended after it.
type Case struct {
	Name string
	Run  func(t *testing.T, m *Member)
}
