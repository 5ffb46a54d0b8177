package engine

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// Driver runs one member's engine for the agent. It never decides who leads.
//
// Every method that takes a context blocks until it is done, fails or the
// context ends; each is idempotent, so that whoever lost an answer asks again.
// What cannot be known is reported as unknown (ha.Unknown, ErrNotRunning),
// never guessed. One engine verb runs at a time, except Probe, Stats and
// DiskProbe, which may run beside it.
type Driver interface {
	// Initialised tells whether DataDir holds a complete engine directory.
	Initialised() (bool, error)
	// Initialise makes one: in a fresh directory below TmpDir, flushed, then
	// renamed to DataDir, so that an interrupted one never looks complete. It
	// fails if DataDir holds anything but an initialised directory.
	Initialise(ctx context.Context) error

	// Configure writes the rendered files and tells a running engine to read
	// them again. It reports the settings that need a restart to take effect.
	Configure(ctx context.Context, c Config) (pendingRestart []string, err error)
	// ReloadCertificates makes the running engine use the key pair now in
	// Config.CertFile and KeyFile for new connections.
	ReloadCertificates(ctx context.Context) error

	// Standby is the process to start: it always comes up as a standby without
	// a source and with the gate closed, whatever it was before. The files of
	// Configure must be in place.
	Standby() (Process, error)
	// Probe opens a new login and looks. It returns ErrNotRunning while nobody
	// listens, ErrStarting while the engine refuses logins because it starts
	// or recovers, ErrFull while clients have taken the agent's place too.
	Probe(ctx context.Context) (Probe, error)
	// Promote ends recovery and makes the engine writable for the agent only.
	// It closes the gate and proves it closed before that. The rule is of one
	// member here; rules of more bring their own verbs.
	Promote(ctx context.Context, s ha.Session) error
	// Barrier writes the session's barrier durably and returns the log's
	// position at or after it.
	Barrier(ctx context.Context, s ha.Session) (ha.Log, error)
	// SetGate lets clients in or shuts them out. It returns when the new state
	// is proven: closed means that a new client connection was refused and no
	// session of a client is left.
	SetGate(ctx context.Context, g Gate) error
	// EnsureAccounts makes the accounts, passwords, rights and the database
	// as described; it changes nothing that is already so. Only on a primary.
	EnsureAccounts(ctx context.Context, a Accounts) error

	// WriteProbe writes one row durably, as a client's commit would be.
	WriteProbe(ctx context.Context) error
	// Stats reads gauges for the metrics page. Absent values are left out.
	Stats(ctx context.Context) ([]Sample, error)
	// StopSignal asks the engine for a clean, fast stop.
	StopSignal() syscall.Signal
	// Close gives up held sessions. The engine goes on.
	Close() error
}

var (
	// ErrNotRunning: no engine process answers at the socket.
	ErrNotRunning = errors.New("engine is not running")
	// ErrStarting: the engine is up but refuses logins until it has recovered.
	ErrStarting = errors.New("engine is starting")
	// ErrFull: the engine answers, and turns the agent away because all its
	// sessions are taken.
	ErrFull = errors.New("engine has no session left")
	// ErrConfigRefused: the installed engine does not take these settings;
	// its files and what is in force are as before.
	ErrConfigRefused = errors.New("engine refuses the configuration")
)

// Process describes a child process for the supervisor.
type Process struct {
	Path string
	Args []string // without argv[0]
	Env  []string // complete environment
	Dir  string
	// Format of the lines on stdout and stderr.
	Log LogParser
	// RestartExit is an exit code by which the engine asks to be started
	// again at once; 0 if it has none.
	RestartExit int
}

// LogParser turns one line of the engine's output into a log record. It is
// pure and never fails: what it does not understand becomes the message.
type LogParser func(line string) LogLine

// LogLine is one parsed line. A zero Time means that the line carries none.
// Continuation lines belong to the record before them.
type LogLine struct {
	Time         time.Time
	Level        string // debug, info, warning, error, fatal
	Code         string // SQLSTATE or error number, if the engine prints one
	Message      string
	Continuation bool
}

// Gate is what clients may do with this engine.
type Gate = ha.Gate

// The gates, for drivers.
const (
	GateClosed   = ha.GateClosed
	GateReadOnly = ha.GateReadOnly
	GateOpen     = ha.GateOpen
)

// Probe is one look at a running engine.
type Probe struct {
	// Version as the engine itself reports it.
	Version string
	// Standby: in recovery or read-only; false on a promoted primary.
	Standby bool
	// Log is nil while unknown.
	Log ha.Log
	// PendingRestart names settings that differ from the files until a restart.
	PendingRestart []string
}

// Accounts describes who may log in. Passwords are secrets.
type Accounts struct {
	Database   string // owned by App
	App, Admin Credential
	// Replication accounts, one per ordinal, usable only with the certificate
	// of that common name; never with a password.
	ReplicationSubjects []string
}

// Credential is a login with a password.
type Credential struct{ Name, Password string }

// Sample is one gauge or counter in Prometheus' terms.
type Sample struct {
	Name    string // without the db_ prefix: "connections"
	Help    string
	Counter bool
	Value   float64
	Labels  map[string]string
}
