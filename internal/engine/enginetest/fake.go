package enginetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"syscall"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
)

// Fake is an engine in memory: a directory, a process that somebody else
// starts and kills, and the verbs of engine.Driver. It notes what no agent may
// ever do in Violations. The zero value is an empty volume. It is safe for
// concurrent use.
type Fake struct {
	mu          sync.Mutex
	initialised bool
	running     bool
	starting    bool
	standby     bool
	config      engine.Config // in the files
	session     ha.Session    // of the running promotion
	barrier     bool
	gate        engine.Gate
	accounts    engine.Accounts
	barriers    []ha.Session
	pending     []string
	calls       []string
	violations  []string
	fail        map[string][]error
	hang        map[string]chan struct{}
}

var _ engine.Driver = (*Fake)(nil)

// FakeLog is a position of Fake: how many barriers its log holds.
type FakeLog int

// Compare implements ha.Log.
func (l FakeLog) Compare(other ha.Log) ha.Order {
	o, ok := other.(FakeLog)
	switch {
	case !ok:
		return ha.Unknown
	case l == o:
		return ha.Equal
	case l > o:
		return ha.Ahead
	default:
		return ha.Behind
	}
}

// String implements ha.Log.
func (l FakeLog) String() string { return fmt.Sprintf("log %d", int(l)) }

// Fail makes the next calls of a verb return these errors, without effect; nil
// lets one succeed. Verbs are named as their methods.
func (f *Fake) Fail(verb string, errs ...error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail == nil {
		f.fail = map[string][]error{}
	}
	f.fail[verb] = append(f.fail[verb], errs...)
}

// Hang makes calls of a verb block until their context ends or Release.
func (f *Fake) Hang(verb string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.hang == nil {
		f.hang = map[string]chan struct{}{}
	}
	f.hang[verb] = make(chan struct{})
}

// Release ends what Hang began.
func (f *Fake) Release(verb string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.hang[verb])
	delete(f.hang, verb)
}

// Boot is the start of the engine's process. It answers logins at once, unless
// slow is set: then it does so after Up.
func (f *Fake) Boot(slow bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running {
		f.violation("started while it runs")
	}
	if !f.initialised {
		f.violation("started on an empty volume")
	}
	f.running, f.starting, f.standby = true, slow, true
	f.session, f.barrier, f.gate, f.pending = ha.Session{}, false, engine.GateClosed, nil
	f.calls = append(f.calls, "Boot")
}

// Up ends a slow start.
func (f *Fake) Up() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.starting = false
}

// Die is the end of the engine's process, however it came.
func (f *Fake) Die() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running, f.gate = false, engine.GateClosed
	f.calls = append(f.calls, "Die")
}

// SetPendingRestart names the settings that the next Configure says need a
// restart. A start forgets them.
func (f *Fake) SetPendingRestart(names ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pending = names
}

// SetInitialised makes the volume hold a complete directory, or none.
func (f *Fake) SetInitialised(yes bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.initialised = yes
}

// Gate is what clients may do.
func (f *Fake) Gate() engine.Gate { f.mu.Lock(); defer f.mu.Unlock(); return f.gate }

// Running tells whether the process is there.
func (f *Fake) Running() bool { f.mu.Lock(); defer f.mu.Unlock(); return f.running }

// Config is what the files say.
func (f *Fake) Config() engine.Config { f.mu.Lock(); defer f.mu.Unlock(); return f.config }

// Accounts are those in force.
func (f *Fake) Accounts() engine.Accounts { f.mu.Lock(); defer f.mu.Unlock(); return f.accounts }

// Sessions are those whose barrier the log holds, in order.
func (f *Fake) Sessions() []ha.Session {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.barriers)
}

// Calls are the verbs that took effect, probes left out, since the last call
// of Calls.
func (f *Fake) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	calls := f.calls
	f.calls = nil
	return calls
}

// Violations are what must never happen.
func (f *Fake) Violations() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.violations)
}

// violation must be called with the lock held.
func (f *Fake) violation(format string, args ...any) {
	f.violations = append(f.violations, fmt.Sprintf(format, args...))
}

// enter waits and fails as ordered, then returns with the lock held; leave
// gives it up.
func (f *Fake) enter(ctx context.Context, verb string) error {
	f.mu.Lock()
	if gate, ok := f.hang[verb]; ok {
		f.mu.Unlock()
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
		f.mu.Lock()
	}
	if errs := f.fail[verb]; len(errs) > 0 {
		f.fail[verb] = errs[1:]
		if errs[0] != nil {
			f.mu.Unlock()
			return errs[0]
		}
	}
	return nil
}

func (f *Fake) leave(verb string) {
	f.calls = append(f.calls, verb)
	f.mu.Unlock()
}

// up is the error of a verb that needs a login; the lock is held.
func (f *Fake) up() error {
	switch {
	case !f.running:
		return engine.ErrNotRunning
	case f.starting:
		return engine.ErrStarting
	}
	return nil
}

// Initialised implements engine.Driver.
func (f *Fake) Initialised() (bool, error) {
	if err := f.enter(context.Background(), "Initialised"); err != nil {
		return false, err
	}
	defer f.mu.Unlock()
	return f.initialised, nil
}

// Initialise implements engine.Driver.
func (f *Fake) Initialise(ctx context.Context) error {
	if err := f.enter(ctx, "Initialise"); err != nil {
		return err
	}
	defer f.leave("Initialise")
	f.initialised = true
	return nil
}

// Configure implements engine.Driver.
func (f *Fake) Configure(ctx context.Context, c engine.Config) ([]string, error) {
	if err := f.enter(ctx, "Configure"); err != nil {
		return nil, err
	}
	defer f.leave("Configure")
	f.config = c
	return slices.Clone(f.pending), nil
}

// ReloadCertificates implements engine.Driver.
func (f *Fake) ReloadCertificates(ctx context.Context) error {
	if err := f.enter(ctx, "ReloadCertificates"); err != nil {
		return err
	}
	defer f.leave("ReloadCertificates")
	return f.up()
}

// Standby implements engine.Driver. The process is never really started.
func (f *Fake) Standby() (engine.Process, error) {
	if err := f.enter(context.Background(), "Standby"); err != nil {
		return engine.Process{}, err
	}
	defer f.mu.Unlock()
	if f.config.Version == "" {
		return engine.Process{}, errors.New("there is no configuration")
	}
	return engine.Process{Path: "fake", RestartExit: 16}, nil
}

// Probe implements engine.Driver.
func (f *Fake) Probe(ctx context.Context) (engine.Probe, error) {
	if err := f.enter(ctx, "Probe"); err != nil {
		return engine.Probe{}, err
	}
	defer f.mu.Unlock()
	if err := f.up(); err != nil {
		return engine.Probe{}, err
	}
	return engine.Probe{Version: "1.2.3", Standby: f.standby, Log: FakeLog(len(f.barriers)), PendingRestart: slices.Clone(f.pending)}, nil
}

// Promote implements engine.Driver.
func (f *Fake) Promote(ctx context.Context, s ha.Session) error {
	if err := f.enter(ctx, "Promote"); err != nil {
		return err
	}
	defer f.leave("Promote")
	if err := f.up(); err != nil {
		return err
	}
	if f.gate != engine.GateClosed {
		f.violation("promoted with the gate %s", f.gate)
	}
	if n := len(f.barriers); n > 0 && !later(s, f.barriers[n-1]) {
		f.violation("promoted in session %s after %s", s, f.barriers[n-1])
	}
	f.standby, f.session, f.barrier = false, s, false
	return nil
}

// later tells whether session a comes after b.
func later(a, b ha.Session) bool {
	return a.Term > b.Term || a.Term == b.Term && a.Incarnation > b.Incarnation
}

// Barrier implements engine.Driver.
func (f *Fake) Barrier(ctx context.Context, s ha.Session) (ha.Log, error) {
	if err := f.enter(ctx, "Barrier"); err != nil {
		return nil, err
	}
	defer f.leave("Barrier")
	switch err := f.up(); {
	case err != nil:
		return nil, err
	case f.standby || f.session != s:
		return nil, fmt.Errorf("not promoted in session %s", s)
	}
	if !f.barrier {
		f.barriers = append(f.barriers, s)
	}
	f.barrier = true
	return FakeLog(len(f.barriers)), nil
}

// SetGate implements engine.Driver.
func (f *Fake) SetGate(ctx context.Context, g engine.Gate) error {
	if err := f.enter(ctx, "SetGate "+g.String()); err != nil {
		return err
	}
	defer f.leave("SetGate " + g.String())
	if err := f.up(); err != nil {
		return err
	}
	if g == engine.GateOpen && (f.standby || !f.barrier) {
		f.violation("opened without a barrier")
	}
	f.gate = g
	return nil
}

// EnsureAccounts implements engine.Driver.
func (f *Fake) EnsureAccounts(ctx context.Context, a engine.Accounts) error {
	if err := f.enter(ctx, "EnsureAccounts"); err != nil {
		return err
	}
	defer f.leave("EnsureAccounts")
	switch err := f.up(); {
	case err != nil:
		return err
	case f.standby:
		return errors.New("a standby takes no accounts")
	}
	f.accounts = a
	return nil
}

// WriteProbe implements engine.Driver.
func (f *Fake) WriteProbe(ctx context.Context) error {
	if err := f.enter(ctx, "WriteProbe"); err != nil {
		return err
	}
	defer f.mu.Unlock()
	return f.up()
}

// Stats implements engine.Driver.
func (f *Fake) Stats(ctx context.Context) ([]engine.Sample, error) {
	if err := f.enter(ctx, "Stats"); err != nil {
		return nil, err
	}
	defer f.mu.Unlock()
	if err := f.up(); err != nil {
		return nil, err
	}
	return []engine.Sample{{Name: "connections", Help: "Client connections.", Value: 3, Labels: map[string]string{"state": `a"b\`}}}, nil
}

// StopSignal implements engine.Driver.
func (f *Fake) StopSignal() syscall.Signal { return syscall.SIGTERM }

// Close implements engine.Driver.
func (f *Fake) Close() error { return nil }
