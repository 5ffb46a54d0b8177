package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// process is what runs of an engine.
type process int

const (
	dead process = iota
	starting
	standby
	primary
)

// engine is one member's engine with the driver that the agent works it by. It
// belongs to a volume. The engine's own half is in engine_process, engine_disk,
// engine_stream, engine_acks and engine_clients; the driver's is in
// engine_driver and the files named after its jobs.
type engine struct {
	w       *world
	ordinal int
	flavour flavour
	uid     string
	wake    func() // called when it shows something new, but for its position
	data    *data  // nil: none

	process process
	life    int // of the process; what an earlier one began comes to nothing
	dying   bool
	halted  bool // all its processes are stopped
	halts   int  // by so many
	orphans time.Duration
	thawed  []func() // to do when halted ends

	disk      disk
	stallFrom int64 // what is applied while replay stands still
	stallTo   time.Duration
	parked    time.Duration // when the log is read to its end after a start

	// Of a primary.
	session ha.Session
	branch  int32
	first   int64 // length of the log with the session's barrier
	barrier *image
	conns   []*conn
	acks    acks
	clients engineClients

	receiver receiver // of a standby
	driver   driver
	shown    shown
}

// newEngine is an engine that is down and has no data.
func newEngine(w *world, ordinal int, f flavour) *engine {
	return &engine{w: w, ordinal: ordinal, flavour: f}
}

// alive tells whether a process can do anything at this moment.
func (e *engine) alive() bool { return e.process >= standby && !e.halted }

// changed tells the agent that there is something new to see.
func (e *engine) changed() {
	if e.wake != nil {
		e.wake()
	}
}

// vacant tells whether there is no data that an engine could be started on.
func (e *engine) vacant() bool { return e.data == nil || e.data.damaged }

// image is the log as it was written, which is the truth.
func (e *engine) image() *image {
	if e.data == nil {
		return nil
	}
	return e.data.image(e, e.data.log.length)
}

// contains tells whether the log holds a client's write. It is slow.
func (e *engine) contains(id int64) bool {
	l := e.image()
	if l == nil {
		return false
	}
	branch, index, ok := e.w.history.find(id)
	if ok {
		_, ok = l.covers(branch, index)
	}
	return ok
}

// shown is the position as it was last shown: making it anew costs an
// allocation.
type shown struct {
	position ha.Position
	length   int64
	last     seg
	torn     bool
	server   int32
	bound    int
}

// observe is what the driver can prove.
func (e *engine) observe() ha.Engine {
	d := &e.driver
	o := ha.Engine{Diverged: d.diverged}
	switch {
	case d.rebuilding:
		o.Mode = ha.Rebuilding
	case e.process == dead && e.vacant():
		o.Mode = ha.Vacant
	case e.process == dead && !d.starting:
		o.Mode = ha.Down
	case e.process <= starting || e.dying:
		o.Mode = ha.Starting
	case e.process == standby || d.promoting:
		o.Mode = ha.Standby
		o.Position = e.position()
		o.Frozen = d.final && e.process == standby
		o.Source = d.source
		o.Gate = e.clients.gate
		o.Errant = e.data.errant
	default:
		o.Mode = ha.Primary
		o.Position = e.position()
		o.Session = e.session
		o.Binding = d.binding
		o.Rule = d.rule
		o.Gate = e.clients.gate
		o.Errant = e.data.errant
		if e.barrier != nil {
			o.Barrier = e.barrier
		}
	}
	o.Stuck = o.Mode >= ha.Standby && e.stuck()
	return o
}

// position is the flushed log in the driver's words.
func (e *engine) position() ha.Position {
	d := e.data
	length := d.flushed
	if e.process == standby && e.w.clock < e.parked {
		if e.obeys(waitsForEndOfLog) {
			return ha.Position{}
		}
		length -= min(length-1, 20) // as far as replay has come
	}
	if d.minimum > length && e.process == standby && e.obeys(keepsMinimum) {
		return ha.Position{}
	}
	s := &e.shown
	last := d.log.segs[len(d.log.segs)-1]
	if s.position.Log != nil && s.length == length && s.last == last && s.torn == d.torn && s.server == d.server && s.bound == len(d.bound) {
		return s.position
	}
	*s = shown{length: length, last: last, torn: d.torn, server: d.server, bound: len(d.bound)}
	l := d.image(e, length)
	l.torn = d.torn
	l = e.withoutErrant(l)
	session, ok := d.sessionOf(e, l)
	if !ok && !d.errant { // what somebody began by hand is of no session, and told to be errant
		return ha.Position{}
	}
	s.position = ha.Position{Session: session, Log: l}
	return s.position
}
