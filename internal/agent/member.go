package agent

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"github.com/myuser/db-operator/internal/agent/state"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/register"
)

// publisher writes EndpointSlices; register.Endpoints is the real one.
type publisher interface {
	Publish(ctx context.Context, slice string, record ha.Record, endpoint register.Endpoint) error
}

// member is the loop and all it knows. Fields below the line belong to the loop
// goroutine; jobs get copies and return closures.
type member struct {
	o           *Options
	ordinal     int
	log         *slog.Logger
	store       *state.Store
	ring        *transitions
	procs       processes
	newGuardian func() (guardian, error)
	newRegister func(agentapi.Spec) register.Register
	routes      publisher

	events chan func()
	jobs   sync.WaitGroup
	ctx    context.Context // of jobs; it outlives the order to stop
	status atomic.Pointer[agentapi.Status]
	turned atomic.Int64 // when the loop last turned, in unix nanoseconds
	// What the servers read beside status.
	keys       atomic.Pointer[keys]
	liveDriver atomic.Pointer[engine.Driver]
	lastDisk   atomic.Pointer[disk]

	// ---- the loop's own ----

	booted   time.Time
	stopping bool
	deadline time.Time // of a stop

	mounted      *mounts
	mountProblem trouble
	opened       bool    // the volume was looked into
	refused      trouble // why it must not be touched
	initialised  bool
	driver       engine.Driver
	register     register.Register

	refusedConfig *refusedConfig // of the last attempt, if it was

	engineLane    lane
	engine        running
	fault         trouble
	starts        int
	crashes       int // in a row
	startAfter    time.Time
	crash         trouble
	restart       int64 // generation of the newest restart asked for
	restartExit   int   // the code by which the engine asks for a start
	guardian      guardian
	guardianAfter time.Time
	why           trouble // what the engine lane waits for

	registerLane    lane
	answer          answer
	answered        bool
	nextRead        time.Time
	nextWrite       time.Time
	writeFailures   int // in a row
	unwritable      trouble
	registerProblem string // as logged last
	lead            *ha.Record
	leadWhy         trouble
	mayInit         bool

	routesLane lane
	published  string // what the slices are known to show
	routed     bool   // they have shown this member since it leads

	probing   bool
	nextProbe time.Time
	disk      disk
	diskSince time.Time // when the look in progress began
	diskTold  string    // the reason of the last transition about it
	specInUse int64     // newest generation put in force
	hashInUse string    // newest state of all files put in force
}

// running is what is known of one engine process. Its zero value is none.
type running struct {
	possible bool // a process may be left
	child    child
	up       bool
	answered time.Time // the last login that was
	probe    engine.Probe
	opened   time.Time
	epoch    int // grows whenever a look that began before is worth nothing

	session  *ha.Session // the one it is, or is being, promoted in
	promoted bool
	barrier  bool
	gate     engine.Gate

	accounts *engine.Accounts // in force
	config   *engine.Config
	keys     *keys
	pending  []string
}

// answer is the last read of the register.
type answer struct {
	kind  answerKind
	state register.State
}

// facts reads the loop's knowledge for decide.
func (m *member) facts(now time.Time) facts {
	e := &m.engine
	f := facts{
		Fault: m.fault, Stopping: m.stopping, Refused: m.refused, Mounted: m.mounted != nil && m.opened,
		Initialised: m.initialised, MayInitialise: m.mayInit,
		Leads: m.lead != nil, NotLead: m.leadWhy,
		Running: e.possible, Restart: m.restart > m.store.Get().Restarted, Up: e.up,
		Promoted: e.promoted, Barrier: e.barrier, Gate: e.gate,
	}
	if now.Before(m.startAfter) {
		f.Backoff = m.crash
	}
	if m.guardian == nil {
		f.Backoff = trouble{"GuardianMissing", "The guardian process does not run. The agent starts it before it starts the engine."}
	}
	if m.mounted != nil && m.opened {
		f.Accounts = e.accounts != nil && reflect.DeepEqual(*e.accounts, m.wantedAccounts())
		f.Configured = m.wantsRefused() || e.config != nil && reflect.DeepEqual(*e.config, m.wantedConfig())
		f.Certified = e.keys != nil && e.keys.same(m.mounted.Keys)
	}
	return f
}

// question reads the loop's knowledge for decideLead.
func (m *member) question(now time.Time) question {
	st := m.store.Get()
	q := question{
		UID: st.MemberUID, Pod: m.o.Pod, Profile: m.mounted.Spec.Profile, Initialised: m.initialised,
		Seen: st.Seen, Pending: st.Pending, Floor: st.Floor,
		Answer: m.answer.kind, Bootstrap: m.answer.state.Bootstrap,
		Lead: m.lead, Answered: m.answered, SinceBoot: now.Sub(m.booted),
	}
	if m.answer.state.Record != nil {
		q.Record = *m.answer.state.Record
	}
	return q
}

// wantedConfig is what the engine's files are rendered from.
func (m *member) wantedConfig() engine.Config {
	st, spec := m.store.Get(), m.mounted.Spec
	certificates := m.o.Layout.certificates()
	return engine.Config{
		Version: spec.Version, Member: m.o.Pod, Ordinal: m.ordinal,
		ClusterUID: st.ClusterUID, ServerID: serverID(st.MemberUID, m.ordinal),
		Memory: m.o.Memory, Parameters: spec.Parameters, Paths: m.o.Layout.paths(),
		CertFile: certificates + "/tls.crt", KeyFile: certificates + "/tls.key", CAFile: certificates + "/ca.crt",
		ReplicationSubjects: subjects(spec.Name),
	}
}

func (m *member) wantedAccounts() engine.Accounts {
	return engine.Accounts{
		Database: m.mounted.Spec.Accounts.Database, App: m.mounted.App, Admin: m.mounted.Admin,
		ReplicationSubjects: subjects(m.mounted.Spec.Name),
	}
}

// maxMembers is how many ordinals a Database can ever have.
const maxMembers = 5

// subjects are the common names of the members' certificates.
func subjects(name string) []string {
	var all []string
	for i := range maxMembers {
		all = append(all, fmt.Sprintf("%s-%d", name, i))
	}
	return all
}

// serverID differs between the ordinals for certain, and between the members
// that had one ordinal after each other by all likelihood. It is never 0.
func serverID(memberUID string, ordinal int) uint32 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(memberUID))
	return hash.Sum32()<<3 | uint32(ordinal+1)
}

func (k *keys) same(other keys) bool {
	return string(k.Certificate) == string(other.Certificate) && string(k.Key) == string(other.Key) && string(k.CA) == string(other.CA)
}

// transition notes one change for people: a line in the log and an entry for
// the operator.
func (m *member) transition(reason, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	m.log.Info(message, "reason", reason)
	m.ring.add(time.Now(), reason, message)
}
