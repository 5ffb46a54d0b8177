package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/myuser/db-operator/internal/agent/state"
	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/register"
)

const (
	// lockWait is how long the agent waits for another process to let go of the
	// volume: that of a pod before this one that is still ending.
	lockWait = 30 * time.Second
	// leftoverWait bounds the wait for goroutines that a hanging disk may hold.
	leftoverWait = 2 * time.Second
)

// Run is the agent's life: it returns when ctx has ended and the engine is
// stopped, or when it cannot begin.
func Run(ctx context.Context, o Options) error {
	n, ok := ordinal(o.Pod)
	if !ok {
		return fmt.Errorf("starting the agent: pod name %q has no ordinal", o.Pod)
	}
	store, err := openState(ctx, o.Layout.Agent)
	if err != nil {
		return fmt.Errorf("starting the agent: %w", err)
	}
	defer store.Close()
	m, err := newMember(&o, n, store)
	if err != nil {
		return fmt.Errorf("starting the agent: %w", err)
	}
	m.procs = real{o.Logger.With("source", "engine")}
	m.newGuardian = func() (guardian, error) {
		g, err := supervise.StartGuardian(o.Executable, o.GuardianArgs, os.Environ(), o.Logger)
		if err != nil {
			return nil, err // not a guardian that is nil
		}
		return g, nil
	}
	m.newRegister = func(s agentapi.Spec) register.Register {
		return register.NewLease(o.Client, s.Namespace, s.Register, o.Pod)
	}
	m.routes = register.Endpoints{Client: o.Client}

	servers, err := serve(m)
	if err != nil {
		return fmt.Errorf("starting the agent: %w", err)
	}
	defer servers.close()
	reaping, stopReaping := context.WithCancel(context.Background())
	defer stopReaping()
	go supervise.Reap(reaping) // it holds nothing that anybody waits for

	m.run(ctx)
	return nil
}

// openState waits for the lock if need be.
func openState(ctx context.Context, dir string) (*state.Store, error) {
	deadline := time.Now().Add(lockWait)
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		store, err := state.Open(dir)
		if err == nil || !errors.Is(err, state.ErrLocked) || time.Now().After(deadline) {
			return store, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-ticker.C:
		}
	}
}

// newMember counts the boot and prepares the folders. What it returns lacks
// only its connections to the world.
func newMember(o *Options, ordinal int, store *state.Store) (*member, error) {
	if err := store.Update(func(s *state.State) { s.Boot++; s.Nonce = newUID() }); err != nil {
		return nil, fmt.Errorf("counting the boot: %w", err)
	}
	paths := o.Layout.paths()
	for _, dir := range []string{paths.ConfigDir, paths.TmpDir, paths.RunDir, o.Layout.certificates()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	ring, err := openTransitions(o.Layout.Agent)
	if err != nil {
		o.Logger.Warn("earlier transitions are lost", "error", err)
	}
	m := &member{o: o, ordinal: ordinal, log: o.Logger, store: store, ring: ring, booted: time.Now(), events: make(chan func(), 16)}
	m.turned.Store(m.booted.UnixNano())
	m.status.Store(&agentapi.Status{Member: o.Pod, Ordinal: ordinal, AgentVersion: o.Version, Role: agentapi.RoleStarting})
	return m, nil
}

// run is the loop with its watchers, until all of them have ended.
func (m *member) run(ctx context.Context) {
	jobs, cancel := context.WithCancel(context.Background())
	m.ctx = jobs
	defer m.waitForJobs()
	defer cancel()
	m.watch(jobs)
	st := m.store.Get()
	m.log.Info("the agent starts", "version", m.o.Version, "boot", st.Boot, "member", st.MemberUID)
	m.loop(ctx)
	m.release()
	m.log.Info("the agent ends")
}

func (m *member) watch(ctx context.Context) {
	l := m.o.Layout
	m.jobs.Go(func() { m.ring.run(ctx, func(err error) { m.log.Debug("keeping transitions", "error", err) }) })
	m.jobs.Go(func() {
		watchMounts(ctx, l, m.ordinal,
			func(found mounts) { m.post(func() { m.mountsFound(found) }) },
			func(err error) { m.post(func() { m.mountsFailed(err) }) })
	})
	m.jobs.Go(func() {
		watchDisk(ctx, l.Agent,
			func() { m.post(func() { m.diskSince = time.Now() }) },
			func(d disk) { m.post(func() { m.disk, m.diskSince = d, time.Time{} }); m.lastDisk.Store(&d) })
	})
}

// release gives up what the loop held, once the engine is stopped.
func (m *member) release() {
	if m.guardian != nil {
		if err := m.guardian.Close(); err != nil {
			m.log.Warn("ending the guardian", "error", err)
		}
	}
	if m.driver != nil {
		if err := m.driver.Close(); err != nil {
			m.log.Warn("closing the driver", "error", err)
		}
	}
}

// waitForJobs does not wait for ever: one may hang on a disk that does.
func (m *member) waitForJobs() {
	done := make(chan struct{})
	go func() {
		m.jobs.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(leftoverWait):
		m.log.Warn("a job did not end with the agent")
	}
}

// mountsFound puts a new reading of the mounts before the loop. The first one
// decides the engine.
func (m *member) mountsFound(found mounts) {
	if m.driver == nil {
		newDriver, ok := m.o.Engines[found.Spec.Engine]
		if !ok {
			m.mountProblem = trouble{agentapi.ReasonUnknownEngine, fmt.Sprintf("This agent does not know the engine %q.", found.Spec.Engine)}
			return
		}
		m.driver = newDriver(m.o.Layout.paths())
		m.liveDriver.Store(&m.driver)
		m.register = m.newRegister(found.Spec)
	}
	m.mounted, m.mountProblem = &found, trouble{}
	m.keys.Store(&found.Keys)
	m.log.Debug("mounted files have changed", "generation", found.Spec.Generation, "hash", found.Hash)
}

func (m *member) mountsFailed(err error) {
	m.mountProblem = trouble{"ConfigurationUnreadable", fmt.Sprintf("The mounted configuration cannot be used, and what was read before stays in force: %v.", err)}
	m.log.Warn(m.mountProblem.Message, "reason", m.mountProblem.Reason)
}

// askRestart asks the loop for one restart of the engine.
func (m *member) askRestart(ctx context.Context, generation int64) error {
	taken := make(chan struct{})
	select {
	case m.events <- func() { m.restart = max(m.restart, generation); close(taken) }:
	case <-ctx.Done():
		return ctx.Err()
	case <-m.ctx.Done():
		return errors.New("the agent ends")
	}
	select {
	case <-taken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
