package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/myuser/db-operator/internal/agent/state"
	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/enginetest"
	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/pki"
	"github.com/myuser/db-operator/internal/register"
	"github.com/myuser/db-operator/internal/register/registertest"
)

// world is one pod with its volume, an engine and a register in memory, in a
// bubble of fake time.
type world struct {
	t      *testing.T
	engine *enginetest.Fake
	reg    *registertest.Memory
	routes *endpointSlices
	procs  *fakeProcesses
	layout Layout
	spec   agentapi.Spec
	crash  *crashPoint

	member   *member
	store    *state.Store
	stop     context.CancelFunc
	ended    chan struct{}
	guardian *fakeGuardian
}

// inWorld runs a story. At its end the agent is stopped, and whatever the
// engine or the register saw must have been allowed.
func inWorld(t *testing.T, story func(w *world)) {
	t.Helper()
	root := memoryDir(t)
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, engine: &enginetest.Fake{}, reg: &registertest.Memory{}, routes: &endpointSlices{}, layout: DefaultLayout(root), crash: &crashPoint{}}
		w.procs = &fakeProcesses{engine: w.engine, crash: w.crash}
		w.spec = agentapi.Spec{
			Generation: 1, Namespace: "shop", Name: "db", Engine: "fake", Version: "1", Replicas: 1, Profile: "fast",
			Register: "db-ha", Endpoints: agentapi.Endpoints{ReadWrite: "db-rw", ReadWriteV6: "db-rw-v6"}, Members: "db-members",
			Accounts: agentapi.Accounts{Database: "app", App: "app", Admin: "admin"},
		}
		w.mount()
		defer func() { // a story that failed must not leave goroutines behind
			if w.member != nil {
				w.kill()
			}
		}()
		story(w)
		w.end()
		for _, v := range w.engine.Violations() {
			t.Errorf("the agent broke a rule: %s", v)
		}
	})
}

// memoryDir is a folder in memory, because thousands of flushes on a disk that
// others use too would make the stories slow.
func memoryDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "agent-test-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if lookAtDisk(dir).trouble().any() { // too small to pass for a volume
		return t.TempDir()
	}
	return dir
}

// mount writes what the operator and kubelet would.
func (w *world) mount() {
	authority, err := pki.NewAuthority("shop/db", time.Now())
	w.must(err)
	w.mountKeys(authority)
	w.mountSpec()
	w.write(w.layout.App, map[string]string{"username": "app", "password": "secret", "uri": "derived"})
	w.write(w.layout.Admin, map[string]string{"username": "admin", "password": "secret too"})
}

func (w *world) mountKeys(authority *pki.Authority) {
	pair, err := authority.Member(pki.Member{CommonName: "db-0", DNSNames: []string{"db.shop.svc"}}, time.Now())
	w.must(err)
	w.write(w.layout.TLS, map[string]string{
		"ca.crt": string(authority.Pair().Certificate), "0.crt": string(pair.Certificate), "0.key": string(pair.Key)})
}

func (w *world) mountSpec() {
	text, err := json.Marshal(w.spec)
	w.must(err)
	w.write(w.layout.Spec, map[string]string{"spec.json": string(text)})
}

func (w *world) write(dir string, files map[string]string) {
	w.must(os.MkdirAll(dir, 0o700))
	for name, content := range files {
		w.must(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// start starts an agent in the pod.
func (w *world) start() {
	w.t.Helper()
	store, err := state.Open(w.layout.Agent)
	w.must(err)
	o := &Options{
		Pod: "db-0", Namespace: "shop", Node: "node-1", Version: "test", Layout: w.layout,
		IPs:     []netip.Addr{netip.MustParseAddr("10.0.0.7"), netip.MustParseAddr("fd00::7")},
		Engines: map[string]func(engine.Paths) engine.Driver{"fake": func(engine.Paths) engine.Driver { return crashingDriver{w.engine, w.crash} }},
		Logger:  slog.New(slog.NewTextHandler(w.t.Output(), nil)),
	}
	m, err := newMember(o, 0, store)
	w.must(err)
	m.procs = w.procs
	m.newGuardian = func() (guardian, error) {
		w.guardian = &fakeGuardian{exited: make(chan struct{}), fenced: make(chan struct{}, 1)}
		return w.guardian, nil
	}
	m.newRegister = func(agentapi.Spec) register.Register { return crashingRegister{w.reg, w.crash} }
	m.routes = w.routes
	ctx, cancel := context.WithCancel(context.Background())
	w.member, w.store, w.stop, w.ended = m, store, cancel, make(chan struct{})
	go func() {
		defer close(w.ended)
		m.run(ctx)
	}()
}

// end is the end of the pod in order.
func (w *world) end() {
	if w.member == nil {
		return
	}
	w.stop()
	<-w.ended
	w.must(w.store.Close())
	w.member = nil
}

// kill is the end of the container without a warning.
func (w *world) kill() {
	w.member.events <- runtime.Goexit
	<-w.ended
	w.stop()
	w.must(w.store.Close())
	w.member = nil
	w.procs.killed()
}

// status is what the agent says of itself.
func (w *world) status() *agentapi.Status { return w.member.status.Load() }

// until waits, in fake time, for at most a minute.
func (w *world) until(what string, ok func() bool) {
	w.t.Helper()
	w.untilWithin(time.Minute, what, ok)
}

func (w *world) untilWithin(limit time.Duration, what string, ok func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(limit); !ok(); w.pass(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			s := w.status()
			w.t.Fatalf("waited %s in vain: %s; the agent says %s: %s", limit, what, s.Reason, s.Message)
		}
	}
}

// pass lets fake time go on.
func (w *world) pass(d time.Duration) { <-time.After(d) }

// state changes what the volume remembers, while no agent runs.
func (w *world) state(change func(*state.State)) {
	store, err := state.Open(w.layout.Agent)
	w.must(err)
	w.must(store.Update(change))
	w.must(store.Close())
}

func (w *world) serves() bool { return w.engine.Gate() == engine.GateOpen && w.status().Ready }

func (w *world) untilServes() {
	w.t.Helper()
	w.until("the member serves", w.serves)
}

// serve is the usual beginning: a first start.
func (w *world) serve() {
	w.t.Helper()
	w.reg.Create("db-0")
	w.start()
	w.untilServes()
}

// crashPoint stops the world at the n-th step of its jobs.
type crashPoint struct {
	mu     sync.Mutex
	target int // 0: never
	steps  int
	hit    chan struct{}
}

// arm makes the n-th step from now the last.
func (c *crashPoint) arm(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.target, c.steps, c.hit = n, 0, make(chan struct{})
}

func (c *crashPoint) step(ctx context.Context) {
	c.mu.Lock()
	c.steps++
	hit := c.steps == c.target
	if hit {
		close(c.hit)
	}
	c.mu.Unlock()
	if hit {
		<-ctx.Done()
	}
}

type crashingDriver struct {
	*enginetest.Fake
	crash *crashPoint
}

func (d crashingDriver) around(ctx context.Context, verb func() error) error {
	d.crash.step(ctx)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	err := verb()
	d.crash.step(ctx)
	return errors.Join(err, ctx.Err())
}

func (d crashingDriver) Initialise(ctx context.Context) error {
	return d.around(ctx, func() error { return d.Fake.Initialise(ctx) })
}

func (d crashingDriver) Promote(ctx context.Context, s ha.Session) error {
	return d.around(ctx, func() error { return d.Fake.Promote(ctx, s) })
}

func (d crashingDriver) Barrier(ctx context.Context, s ha.Session) (log ha.Log, err error) {
	err = d.around(ctx, func() error { log, err = d.Fake.Barrier(ctx, s); return err })
	return log, err
}

func (d crashingDriver) EnsureAccounts(ctx context.Context, a engine.Accounts) error {
	return d.around(ctx, func() error { return d.Fake.EnsureAccounts(ctx, a) })
}

func (d crashingDriver) SetGate(ctx context.Context, g engine.Gate) error {
	return d.around(ctx, func() error { return d.Fake.SetGate(ctx, g) })
}

func (d crashingDriver) Configure(ctx context.Context, c engine.Config) (pending []string, err error) {
	err = d.around(ctx, func() error { pending, err = d.Fake.Configure(ctx, c); return err })
	return pending, err
}

type crashingRegister struct {
	*registertest.Memory
	crash *crashPoint
}

func (r crashingRegister) Write(ctx context.Context, record ha.Record, base register.Base) (register.State, error) {
	r.crash.step(ctx)
	if ctx.Err() != nil {
		return register.State{}, register.ErrUnknown
	}
	s, err := r.Memory.Write(ctx, record, base)
	r.crash.step(ctx)
	return s, err
}

// endpointSlices are in memory.
type endpointSlices struct {
	mu     sync.Mutex
	shown  map[string]string
	err    error
	writes int
}

func (s *endpointSlices) Publish(_ context.Context, slice string, record ha.Record, e register.Endpoint) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return s.err
	}
	if s.shown == nil {
		s.shown = map[string]string{}
	}
	address := ""
	if len(e.Addresses) > 0 {
		address = e.Addresses[0].String()
	}
	if s.shown[slice] != address {
		s.writes++
	}
	s.shown[slice] = address
	return nil
}

func (s *endpointSlices) show(slice string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown[slice]
}

func (s *endpointSlices) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.err = err
}

// fakeProcesses starts the fake engine.
type fakeProcesses struct {
	engine *enginetest.Fake
	crash  *crashPoint
	mu     sync.Mutex
	child  *fakeChild
	slow   bool
	deaf   bool // to polite signals
	fences int
	left   bool  // what is killed does not die
	err    error // of the next start
}

func (p *fakeProcesses) immortal(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = yes
}

func (p *fakeProcesses) Start(engine.Process) (child, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		err := p.err
		p.err = nil
		return nil, err
	}
	p.engine.Boot(p.slow)
	p.child = &fakeChild{procs: p, exited: make(chan struct{})}
	return p.child, nil
}

func (p *fakeProcesses) Fence(_ context.Context, c child) error {
	p.mu.Lock()
	p.fences++
	left := p.left
	p.mu.Unlock()
	if left {
		return errors.New("one process is still alive")
	}
	if c != nil {
		c.(*fakeChild).die(supervise.Exit{Code: -1, Signal: syscall.SIGKILL})
	}
	return nil
}

// killed is the end of the container for the engine.
func (p *fakeProcesses) killed() { p.exit(supervise.Exit{Code: -1, Signal: syscall.SIGKILL}) }

// exit ends the engine in this way.
func (p *fakeProcesses) exit(e supervise.Exit, errs ...string) {
	p.mu.Lock()
	c := p.child
	p.mu.Unlock()
	if c != nil {
		c.errs = errs
		c.die(e)
	}
}

type fakeChild struct {
	procs  *fakeProcesses
	once   sync.Once
	exited chan struct{}
	exit   supervise.Exit
	errs   []string
}

func (c *fakeChild) die(e supervise.Exit) {
	c.once.Do(func() {
		c.exit = e
		c.procs.engine.Die()
		close(c.exited)
	})
}

func (c *fakeChild) Exited() <-chan struct{} { return c.exited }
func (c *fakeChild) Exit() supervise.Exit    { return c.exit }
func (c *fakeChild) LastErrors() []string    { return c.errs }

func (c *fakeChild) Signal(sig syscall.Signal) error {
	switch {
	case sig == syscall.SIGKILL:
		c.die(supervise.Exit{Code: -1, Signal: sig})
	case !c.procs.deaf:
		c.die(supervise.Exit{})
	}
	return nil
}

type fakeGuardian struct {
	mu     sync.Mutex
	token  supervise.Token
	exited chan struct{}
	fenced chan struct{}
	closed bool
}

func (g *fakeGuardian) Allow(t supervise.Token) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.token = t
	return nil
}

func (g *fakeGuardian) Exited() <-chan struct{} { return g.exited }
func (g *fakeGuardian) Fenced() <-chan struct{} { return g.fenced }
func (g *fakeGuardian) Close() error            { g.closed = true; return nil }

func (g *fakeGuardian) holds() supervise.Token {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.token
}

func sessions(ns ...int64) []ha.Session {
	var all []ha.Session
	for i, term := range ns {
		all = append(all, ha.Session{Term: term, Incarnation: int64(i + 1)})
	}
	return all
}

var errBroken = fmt.Errorf("it is broken")
