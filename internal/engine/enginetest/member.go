package enginetest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
)

// Deadlines. They are ten times what a quiet machine needs.
const (
	startTime = 60 * time.Second // start, including recovery
	verbTime  = 20 * time.Second // one verb of the driver
	fenceTime = 5 * time.Second
	stopTime  = 30 * time.Second
)

// suite is what the cases of one engine share: one initialised directory, of
// which each member gets a copy.
type suite struct {
	engine  Engine
	version string
	seed    string
}

func (s *suite) makeSeed(t *testing.T) {
	m := s.emptyMember(t, "")
	Must(t, m.Driver.Initialise(m.Context(t, startTime)))
	s.seed = m.Config.Paths.DataDir
}

// Member is one member for one case.
type Member struct {
	Engine Engine
	Driver engine.Driver
	Config engine.Config
	Access engine.Accounts
	// Child is the running engine, or nil.
	Child *supervise.Child
	certificates

	suite   *suite
	session ha.Session
	mutex   sync.Mutex
	lines   []loggedLine
}

type loggedLine struct {
	text   string
	parsed engine.LogLine
}

// member is a fresh one below parent (the system's temporary folder if empty),
// with a copy of the seed.
func (s *suite) member(t *testing.T, parent string) *Member {
	m := s.emptyMember(t, parent)
	Must(t, copyTree(s.seed, m.Config.Paths.DataDir))
	return m
}

// emptyMember has no directory yet. Only the engine's data is below parent: as
// in a pod, what is rendered and run from is in memory. Paths are short, since
// the name of a unix socket may not be long.
func (s *suite) emptyMember(t *testing.T, parent string) *Member {
	t.Helper()
	root, err := os.MkdirTemp("", "m")
	Must(t, err)
	volume, err := os.MkdirTemp(parent, "v")
	Must(t, err)
	m := &Member{Engine: s.engine, suite: s, session: ha.Session{Term: 1}}
	m.Config = engine.Config{
		Version: s.version, Member: "db-0", ServerID: 1001, Memory: 512 << 20,
		ClusterUID: "0f4be4f2-6a4e-4b5c-9d0a-3c1d5e8f7a21",
		Paths: engine.Paths{
			DataDir: filepath.Join(volume, "data"), ConfigDir: filepath.Join(root, "config"),
			TmpDir: filepath.Join(volume, "tmp"), RunDir: filepath.Join(root, "run"),
		},
		ReplicationSubjects: []string{"db-0", "db-1", "db-2", "db-3", "db-4"},
	}
	for _, dir := range []string{m.Config.Paths.ConfigDir, m.Config.Paths.TmpDir, m.Config.Paths.RunDir} {
		Must(t, os.Mkdir(dir, 0o700))
	}
	m.makeCertificates(t, root)
	m.Access = engine.Accounts{
		Database:            "app",
		App:                 engine.Credential{Name: "app", Password: "first-App-secret-'\"\\%"},
		Admin:               engine.Credential{Name: "admin", Password: "first-Admin-secret"},
		ReplicationSubjects: m.Config.ReplicationSubjects,
	}
	m.Driver = s.engine.New(m.Config.Paths)
	t.Cleanup(func() {
		m.dumpLog(t)
		if err := m.Driver.Close(); err != nil {
			t.Errorf("closing the driver: %v", err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), fenceTime)
		defer cancel()
		if err := supervise.Fence(ctx, m.Child); err != nil {
			t.Error(err)
		}
		if err := errors.Join(os.RemoveAll(root), os.RemoveAll(volume)); err != nil {
			t.Error(err)
		}
	})
	return m
}

// Context ends with the test or after the time, whichever is first.
func (m *Member) Context(t *testing.T, within time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), within)
	t.Cleanup(cancel)
	return ctx
}

// Launch writes the configuration and starts the engine, without waiting.
func (m *Member) Launch(t *testing.T) {
	t.Helper()
	_, err := m.Driver.Configure(m.Context(t, verbTime), m.Config)
	Must(t, err)
	process, err := m.Driver.Standby()
	Must(t, err)
	parse := process.Log
	process.Log = func(line string) engine.LogLine {
		parsed := parse(line)
		m.mutex.Lock()
		defer m.mutex.Unlock()
		m.lines = append(m.lines, loggedLine{line, parsed})
		return parsed
	}
	m.Child, err = supervise.Start(process, slog.New(slog.DiscardHandler))
	Must(t, err)
}

// Start launches the engine and waits until it answers as a standby whose
// position is known.
func (m *Member) Start(t *testing.T) engine.Probe {
	t.Helper()
	m.Launch(t)
	return m.AwaitKnown(t)
}

// AwaitUp waits until a probe succeeds, which is enough to lead alone.
func (m *Member) AwaitUp(t *testing.T) engine.Probe {
	t.Helper()
	return m.await(t, "the engine answers", func(engine.Probe) error { return nil })
}

// AwaitKnown waits until the engine answers and knows its position.
func (m *Member) AwaitKnown(t *testing.T) engine.Probe {
	t.Helper()
	return m.await(t, "the engine answers and knows its position", func(p engine.Probe) error {
		if p.Log == nil {
			return errors.New("position unknown")
		}
		return nil
	})
}

func (m *Member) await(t *testing.T, sentence string, good func(engine.Probe) error) engine.Probe {
	t.Helper()
	var probe engine.Probe
	Eventually(t, startTime, sentence, func() error {
		select {
		case <-m.Child.Exited():
			t.Fatalf("the engine ended: %s; its last errors: %q", m.Child.Exit(), m.Child.LastErrors())
		default:
		}
		var err error
		if probe, err = m.Driver.Probe(m.Context(t, time.Second)); err != nil {
			return err
		}
		return good(probe)
	})
	return probe
}

// Promote makes the running engine a primary of a new session, its gate
// closed, and returns the barrier's position.
func (m *Member) Promote(t *testing.T) ha.Log {
	t.Helper()
	m.session.Incarnation++
	Must(t, m.Driver.Promote(m.Context(t, startTime), m.session))
	at, err := m.Driver.Barrier(m.Context(t, verbTime), m.session)
	Must(t, err)
	return at
}

// Lead starts, promotes, makes the accounts and opens the gate.
func (m *Member) Lead(t *testing.T) {
	t.Helper()
	m.Launch(t)
	m.AwaitUp(t)
	m.Promote(t)
	Must(t, m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access))
	m.SetGate(t, engine.GateOpen)
}

// SetGate must succeed.
func (m *Member) SetGate(t *testing.T, g engine.Gate) {
	t.Helper()
	if err := m.Driver.SetGate(m.Context(t, verbTime), g); err != nil {
		t.Fatalf("setting the gate to %s: %v", g, err)
	}
}

// Kill fences the engine: no process of it is left.
func (m *Member) Kill(t *testing.T) {
	t.Helper()
	Must(t, supervise.Fence(m.Context(t, fenceTime), m.Child))
	m.Child = nil
}

// Stop asks for a clean end and waits for it.
func (m *Member) Stop(t *testing.T) supervise.Exit {
	t.Helper()
	Must(t, m.Child.Signal(m.Driver.StopSignal()))
	exit := m.AwaitExit(t, stopTime)
	m.Child = nil
	return exit
}

// AwaitExit waits until the engine's main process has ended.
func (m *Member) AwaitExit(t *testing.T, within time.Duration) supervise.Exit {
	t.Helper()
	select {
	case <-m.Child.Exited():
	case <-time.After(within):
		t.Fatalf("the engine has not ended within %s", within)
	}
	return m.Child.Exit()
}

// logged are the lines that the engine has written so far.
func (m *Member) logged() []loggedLine {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return append([]loggedLine(nil), m.lines...)
}

// dumpLog shows what the engine said if the case failed.
func (m *Member) dumpLog(t *testing.T) {
	if !t.Failed() {
		return
	}
	for _, line := range m.logged() {
		t.Logf("engine: %s", line.text)
	}
}

// copyTree copies files and folders with their modes.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		target := filepath.Join(to, relative)
		switch {
		case entry.IsDir():
			return os.Mkdir(target, info.Mode().Perm())
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case !info.Mode().IsRegular():
			return nil // a socket that somebody left
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, content, info.Mode().Perm())
	})
}
