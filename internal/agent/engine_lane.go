package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/agent/state"
	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
)

const kill = syscall.SIGKILL

// Limits of single jobs. Each is many times what the job takes on a slow disk;
// what is given up is asked again.
const (
	initialiseLimit = 10 * time.Minute
	verbLimit       = time.Minute
	promoteLimit    = 5 * time.Minute // recovery may have to flush all of its memory
	gateLimit       = 30 * time.Second
	fenceLimit      = 10 * time.Second
	// answerLimit bounds one login, answerEvery is the pause between two while
	// the engine starts.
	answerLimit = time.Second
	answerEvery = 10 * time.Millisecond
	// openTries is after how many failures in a row, on the way to an open gate,
	// a new engine process is tried.
	openTries = 3
)

// engineTurn starts the job that decide asks for, if it may start now.
func (m *member) engineTurn(now time.Time) (ended bool) {
	if m.mounted != nil && !m.opened {
		m.openVolume(now)
	}
	next, why := decide(m.facts(now))
	m.why = why
	l := &m.engineLane
	if l.job != "" {
		if l.job != string(next) && (next == fence || next == closeGate || next == stop || next == end) {
			l.preempt()
		}
		return false
	}
	// What kills waits for no pause but its own.
	urgent := (next == fence || next == stop) && l.failed != string(next)
	if !l.free(now) && !urgent {
		return false
	}
	if l.failures >= openTries && (next == promote || next == barrier || next == openGate) {
		problem := l.problem.Message
		l.failures = 0
		m.fail("OpeningFailed", "The engine is started anew. %s", problem)
		return false
	}
	switch next {
	case wait:
	case end:
		return true
	default:
		m.engine.epoch++
		m.engineJobs()[next]()
	}
	return false
}

func (m *member) engineJobs() map[verb]func() {
	return map[verb]func(){
		fence: m.doFence, initialise: m.doInitialise, start: m.doStart, await: m.doAwait,
		promote: m.doPromote, barrier: m.doBarrier, accounts: m.doAccounts,
		openGate: m.doOpenGate, closeGate: m.doCloseGate,
		configure: m.doConfigure, certify: m.doCertify, stop: m.doStop,
	}
}

// openVolume looks whose data the volume holds, before anything touches them.
func (m *member) openVolume(now time.Time) {
	if !m.engineLane.free(now) {
		return
	}
	spec, st, driver := m.mounted.Spec, m.store.Get(), m.driver
	m.do(&m.engineLane, "open the volume", verbLimit, func(context.Context) (func(), error) {
		initialised, err := driver.Initialised()
		if err != nil {
			return nil, err
		}
		return func() {
			m.opened, m.initialised = true, initialised
			m.refused = refusal(st, spec.Namespace, spec.Name, spec.Engine, initialised)
			if m.refused.any() {
				m.transition(m.refused.Reason, "%s", m.refused.Message)
			}
		}, nil
	})
}

// refusal says why the volume is not this Database's to use. It is pure.
func refusal(st state.State, namespace, name, engineName string, initialised bool) trouble {
	switch {
	case st.Engine != "" && st.Engine != engineName:
		return trouble{"WrongEngine", fmt.Sprintf(
			"The volume holds data of %s, not of %s. Use another name, or delete the claim if the data are not needed.", st.Engine, engineName)}
	case st.Name != "" && (st.Namespace != namespace || st.Name != name):
		return trouble{"WrongDatabase", fmt.Sprintf(
			"The volume belongs to Database %s/%s. It is not touched.", st.Namespace, st.Name)}
	case st.Job != "":
		return trouble{"UnfinishedJob", fmt.Sprintf(
			"The data directory is incomplete, because the job %q on it never ended. It is not started.", st.Job)}
	case initialised && st.MemberUID == "":
		return trouble{"UnknownData", "The volume holds a data directory that no member made. It is not touched."}
	case !initialised && st.MemberUID != "" && (st.Pending != nil || st.Seen != nil && st.Seen.Names(st.MemberUID)):
		return trouble{"DataMissing", "The member has led before, but its data directory is gone. An empty one is not put in its place."}
	}
	return trouble{}
}

func (m *member) doInitialise() {
	spec, driver := m.mounted.Spec, m.driver
	m.transition("Initialising", "The member makes its first data directory.")
	m.do(&m.engineLane, string(initialise), initialiseLimit, func(ctx context.Context) (func(), error) {
		err := m.store.Update(func(s *state.State) {
			if s.MemberUID == "" {
				s.ClusterUID, s.MemberUID = newUID(), newUID()
			}
			s.Namespace, s.Name, s.Engine = spec.Namespace, spec.Name, spec.Engine
		})
		if err != nil {
			return nil, err
		}
		if err := driver.Initialise(ctx); err != nil {
			return nil, err
		}
		return func() {
			m.initialised = true
			m.transition("Initialised", "The data directory is complete.")
		}, nil
	})
}

// newUID is a random UUID (RFC 9562, version 4) in lower case.
func newUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func (m *member) doStart() {
	config, keys, spec := m.wantedConfig(), m.mounted.Keys, m.mounted.Spec
	driver, guardian, restart := m.driver, m.guardian, m.restart
	m.engine.possible = true
	m.do(&m.engineLane, string(start), verbLimit, func(ctx context.Context) (func(), error) {
		if err := writeKeys(m.o.Layout.certificates(), keys); err != nil {
			return m.stopped, err
		}
		refused, err := m.configureForStart(ctx, &config, &spec)
		if err != nil {
			return func() { m.configRefused(refused); m.stopped() }, err
		}
		// An engine that has not started has nothing to restart any more.
		err = m.store.Update(func(s *state.State) { s.Restarted, s.Spec = max(s.Restarted, restart), &spec })
		if err != nil {
			return m.stopped, err
		}
		process, err := driver.Standby()
		if err != nil {
			return m.stopped, err
		}
		child, err := m.procs.Start(process)
		if err != nil {
			return m.stopped, err
		}
		unguarded := guardian.Allow(supervise.NoExpiry)
		return func() {
			m.starts++
			m.restartExit = process.RestartExit
			e := &m.engine
			e.child, e.gate = child, engine.GateClosed
			e.config, e.keys = &config, &keys
			m.configRefused(refused)
			m.transition("EngineStarted", "The engine starts as a standby.")
			if unguarded != nil {
				m.fail("GuardianDeaf", "The guardian does not listen: the agent kills the engine and starts both anew.")
			}
		}, nil
	})
}

// refusedConfig is a configuration that the engine does not take, and why.
type refusedConfig struct {
	config engine.Config
	err    error
}

// configureForStart writes the files. If the engine refuses them, those of the
// last document that was in force are written instead, and config and spec
// say so: a wrong setting must not keep a crashed engine down.
func (m *member) configureForStart(ctx context.Context, config *engine.Config, spec *agentapi.Spec) (*refusedConfig, error) {
	// Nothing waits for a restart at a start.
	_, err := m.driver.Configure(ctx, *config)
	if !errors.Is(err, engine.ErrConfigRefused) {
		return nil, err
	}
	refused := &refusedConfig{*config, err}
	last := m.store.Get().Spec
	if last == nil {
		return refused, err
	}
	config.Parameters, *spec = last.Parameters, *last
	if _, again := m.driver.Configure(ctx, *config); again != nil {
		return refused, again
	}
	return refused, nil
}

// configRefused remembers what not to ask for again. nil forgets it.
func (m *member) configRefused(r *refusedConfig) {
	before := m.refusedConfig
	m.refusedConfig = r
	if r != nil && (before == nil || !reflect.DeepEqual(before.config, r.config)) {
		m.transition("ConfigurationRefused", "The engine refuses the parameters, and those before them stay in force: %v.", r.err)
	}
}

// configTrouble is told as long as the refused configuration is the wanted one.
func (m *member) configTrouble() trouble {
	if !m.wantsRefused() {
		return trouble{}
	}
	return trouble{"ConfigurationRefused", fmt.Sprintf(
		"The engine refuses the parameters, and those before them stay in force: %v. Correct spec.parameters.", m.refusedConfig.err)}
}

func (m *member) wantsRefused() bool {
	return m.refusedConfig != nil && m.mounted != nil && reflect.DeepEqual(m.refusedConfig.config, m.wantedConfig())
}

// writeKeys puts the key pair where the engine reads it, each file at once.
func writeKeys(dir string, k keys) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, content := range map[string][]byte{"tls.crt": k.Certificate, "tls.key": k.Key, "ca.crt": k.CA} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path+".new", content, 0o600); err != nil {
			return err
		}
		if err := os.Rename(path+".new", path); err != nil {
			return err
		}
	}
	return nil
}

// doAwait waits for the first answer to a login. It has no limit: recovery
// takes as long as it takes.
func (m *member) doAwait() {
	driver, child := m.driver, m.engine.child
	m.do(&m.engineLane, string(await), 0, func(ctx context.Context) (func(), error) {
		for {
			attempt, cancel := context.WithTimeout(ctx, answerLimit)
			probe, err := driver.Probe(attempt)
			cancel()
			if err == nil {
				return func() {
					m.engine.up, m.engine.probe, m.engine.answered = true, probe, time.Now()
				}, nil
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-child.Exited():
				return nil, nil // the loop sees it too
			case <-time.After(answerEvery):
			}
		}
	})
}

// doPromote counts the promotion before it happens, so that no session is ever
// used twice. A promotion that is asked for again keeps its session.
func (m *member) doPromote() {
	driver, term, session := m.driver, m.lead.Term, m.engine.session
	m.do(&m.engineLane, string(promote), promoteLimit, func(ctx context.Context) (func(), error) {
		if session == nil {
			err := m.store.Update(func(s *state.State) { s.Promotions++ })
			if err != nil {
				return nil, err
			}
			session = &ha.Session{Term: term, Incarnation: m.store.Get().Promotions}
		}
		err := driver.Promote(ctx, *session)
		return func() { m.engine.session, m.engine.promoted = session, err == nil }, err
	})
}

func (m *member) doBarrier() {
	driver, session := m.driver, *m.engine.session
	m.do(&m.engineLane, string(barrier), verbLimit, func(ctx context.Context) (func(), error) {
		log, err := driver.Barrier(ctx, session)
		if err != nil {
			return nil, err
		}
		return func() { m.engine.barrier, m.engine.probe.Log = true, log }, nil
	})
}

func (m *member) doAccounts() {
	driver, wanted := m.driver, m.wantedAccounts()
	m.do(&m.engineLane, string(accounts), verbLimit, func(ctx context.Context) (func(), error) {
		if err := driver.EnsureAccounts(ctx, wanted); err != nil {
			return nil, err
		}
		return func() { m.engine.accounts = &wanted }, nil
	})
}

func (m *member) doOpenGate() {
	driver, session := m.driver, *m.engine.session
	m.do(&m.engineLane, string(openGate), gateLimit, func(ctx context.Context) (func(), error) {
		if err := driver.SetGate(ctx, engine.GateOpen); err != nil {
			return nil, err
		}
		return func() {
			m.engine.gate, m.engine.opened, m.engine.answered = engine.GateOpen, time.Now(), time.Now()
			m.crash = trouble{}
			m.transition("Opened", "The member serves clients in session %s.", session)
		}, nil
	})
}

// doCloseGate gives up after one try: the engine is stopped next in any case.
func (m *member) doCloseGate() {
	driver := m.driver
	m.do(&m.engineLane, string(closeGate), 5*time.Second, func(ctx context.Context) (func(), error) {
		err := driver.SetGate(ctx, engine.GateClosed)
		return func() { m.engine.gate = engine.GateClosed }, err
	})
}

func (m *member) doConfigure() {
	driver, config, spec := m.driver, m.wantedConfig(), m.mounted.Spec
	m.do(&m.engineLane, string(configure), verbLimit, func(ctx context.Context) (func(), error) {
		pending, err := driver.Configure(ctx, config)
		if errors.Is(err, engine.ErrConfigRefused) {
			return func() { m.configRefused(&refusedConfig{config, err}) }, nil
		}
		if err == nil {
			err = m.store.Update(func(s *state.State) { s.Spec = &spec })
		}
		if err != nil {
			return nil, err
		}
		return func() {
			m.engine.config, m.engine.pending = &config, pending
			m.configRefused(nil)
			m.transition("Configured", "Generation %d of the Database is in force.", spec.Generation)
		}, nil
	})
}

func (m *member) doCertify() {
	driver, keys := m.driver, m.mounted.Keys
	m.do(&m.engineLane, string(certify), verbLimit, func(ctx context.Context) (func(), error) {
		if err := writeKeys(m.o.Layout.certificates(), keys); err != nil {
			return nil, err
		}
		if err := driver.ReloadCertificates(ctx); err != nil {
			return nil, err
		}
		return func() {
			m.engine.keys = &keys
			m.transition("Certified", "The engine uses a new certificate, valid until %s.", keys.pair.Leaf.NotAfter.UTC().Format(time.RFC3339))
		}, nil
	})
}

// doStop asks for a clean end and fences what does not end in time, or is left
// after it.
func (m *member) doStop() {
	driver, child, signal, limit := m.driver, m.engine.child, m.driver.StopSignal(), stopLimit
	if m.stopping {
		limit = max(time.Until(m.deadline), time.Millisecond)
	}
	m.engine.gate = engine.GateClosed
	m.do(&m.engineLane, string(stop), 0, func(ctx context.Context) (func(), error) {
		end := "stopped cleanly"
		if child != nil {
			// An engine may wait for idle sessions: the agent's own go first.
			if err := driver.Close(); err != nil {
				m.log.Warn("closing the driver", "error", err)
			}
			if err := child.Signal(signal); err != nil {
				return nil, err
			}
			timer := time.NewTimer(limit)
			defer timer.Stop()
			select {
			case <-child.Exited():
			case <-timer.C:
				end = fmt.Sprintf("did not stop within %s and was killed", limit.Round(time.Second))
			case <-ctx.Done():
				end = "was killed"
			}
		}
		if err := m.fenced(child); err != nil {
			return nil, err
		}
		return func() {
			m.stopped()
			m.transition("EngineStopped", "The engine %s.", end)
		}, nil
	})
}

func (m *member) doFence() {
	child := m.engine.child
	m.do(&m.engineLane, string(fence), 0, func(context.Context) (func(), error) {
		if err := m.fenced(child); err != nil {
			return nil, err
		}
		return m.stopped, nil
	})
}

// fenced has its own time: neither an order to hurry nor one to stop shortens
// the proof.
func (m *member) fenced(child child) error {
	ctx, cancel := context.WithTimeout(context.Background(), fenceLimit)
	defer cancel()
	if err := m.procs.Fence(ctx, child); err != nil {
		return errors.Join(errors.New("the engine cannot be proven dead"), err)
	}
	return nil
}
