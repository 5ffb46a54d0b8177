package ha

import "time"

// Mode is what an engine is, or is to be.
type Mode int

const (
	// Down: no process of the engine is left, and that is proven. An engine
	// that is being killed is not Down yet. As a wish it means: kill it.
	Down Mode = iota
	// Vacant: Down, and there is no data directory. Never wished for.
	Vacant
	// Starting: a process may be there, and what it holds is not known.
	// Never wished for.
	Starting
	// Rebuilding: its data is being rewound or replaced. Never wished for.
	Rebuilding
	Standby
	Primary
)

// String draws the mode for logs and test output.
func (m Mode) String() string {
	return [...]string{"down", "vacant", "starting", "rebuilding", "standby", "primary"}[m]
}

// Gate is what clients may do with an engine.
type Gate int

const (
	GateClosed   Gate = iota // no client session is there and none can begin
	GateReadOnly             // sessions that can only read
	GateOpen
)

// String draws the gate for logs and test output.
func (g Gate) String() string { return [...]string{"closed", "read-only", "open"}[g] }

// Source is the log that a standby is to continue with. The zero Source is
// none: a standby without a source is frozen.
type Source struct {
	UID     string
	Ordinal int
	Session Session
	Binding string // what ties Session to the engine's log, in the engine's words
}

// Engine is what the member's engine shows. Whatever is not proven is not
// shown: a rule counts when it is enforced, a position when it is flushed, a
// closed gate when a login was refused and no session is left.
type Engine struct {
	Mode Mode
	// Position of the flushed log, unknown until the engine can tell.
	Position Position
	// Frozen: a standby with no source and no receiver, so that Position is
	// final.
	Frozen bool
	// Source that the standby has accepted and is continuing with.
	Source Source
	// Diverged is the session that the standby cannot continue, because its
	// own log is no prefix of it or because the leader no longer has what is
	// missing. Zero if none. It is told for the source that is wanted.
	Diverged Session
	// Errant: it holds writes of its own, of no leader.
	Errant bool

	// Of a primary: the session it writes in, and what ties it to the log.
	Session Session
	Binding string
	Rule    Rule // in force
	Barrier Log  // end of the session's barrier, nil until it is written
	Gate    Gate

	// Stuck: it lives and yet serves nobody: no login is answered, its disk
	// fails, or commits wait although the followers are there.
	Stuck bool
}

// Want is the state that the engine is to be brought to. It is level-triggered:
// the runner works towards the newest one, one job at a time, closing and
// killing first.
//
// From Primary to Standby is a clean step down; only Down is a fence. An engine
// that goes down while a primary is wanted stays down until another session or
// mode is wanted: no session is ever resumed.
type Want struct {
	Mode Mode
	// Source of a standby.
	Source Source
	// Rebuild: the standby's data may be rewound to, or replaced by, that of
	// the source. A rebuild that has begun is never cancelled.
	Rebuild bool
	// Initialise: a Vacant engine may make the first data of the Database.
	Initialise bool

	// Of a primary: the rule is in force before the first write of the session,
	// and the first write is its barrier.
	Session Session
	Rule    Rule
	Gate    Gate
	// Until is when the guardian kills a primary, on the member's clock. It is
	// armed before the gate opens.
	Until time.Duration
}

// Forever is an Until that never comes.
const Forever time.Duration = 1<<63 - 1

// Meanwhile is what may be done of w while the durable state that w follows
// from is not on the disk yet, when before is what was being done until now:
// closing, killing and freezing never wait; opening, following and promoting
// always do.
func (w Want) Meanwhile(before Want) Want {
	if w.Mode == Down {
		return w
	}
	now := before
	if before.Mode == Primary && (w.Mode != Primary || w.Session != before.Session) {
		now.Gate = GateClosed
		return now
	}
	now.Gate = min(before.Gate, w.Gate)
	now.Until = min(before.Until, w.Until)
	if before.Source != w.Source {
		now.Source, now.Rebuild = Source{}, false
	}
	now.Rebuild = now.Rebuild && w.Rebuild
	return now
}
