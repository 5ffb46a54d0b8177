package exhaustive

import (
	"fmt"
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// tick is the step of time. It is short enough that a leader which looks once a
// tick is dead within the time that the timings give it.
const tick = 240 * time.Millisecond

// eventful is how many events one tick may have before it is an endless loop.
const eventful = 400

// most members that a world can have.
const most = 3

// world is everything there is. It is copied by clone, and what its slices
// point to is never changed.
type world struct {
	members  int
	block    bool
	ticks    int
	moments  time.Duration // since the tick: a call to the register takes one
	nodes    [most]node
	register register
	queue    []event
	later    []event // due at a later tick

	next     byte      // name of the next entry
	barriers []barrier // which entries begin sessions
	relied   string    // entries that clients know of
	opened   int       // whose gate opened last, plus one
	session  ha.Session
	log      text // that it opened with

	broken string
}

// node is a member's place: its agent, its volume and its engine.
type node struct {
	state   ha.State
	up      bool
	starts  int // tick of the next start, while it is down
	paused  int // tick up to which the agent does nothing
	stopped bool
	behind  time.Duration // of its clock, from being stopped
	inbox   []event
	engine  engine

	cutAgents, cutLog, cutRegister int // ticks up to which these are cut
	excused                        int // tick from which B counts it again
}

// register is the object that holds the record.
type register struct {
	number uint64
	record ha.Record
}

// barrier says that an entry begins a session.
type barrier struct {
	entry   byte
	session ha.Session
}

type kind int

const (
	message kind = iota
	read
	write
	answer
	work  // of an engine, towards what is wanted
	feed  // of a follower by its leader
	acked // by a follower to its leader
)

// event is something that happens next.
type event struct {
	kind    kind
	node    int // to whom
	from    int
	message *ha.Message
	reply   *ha.Reply
	write   *ha.Write
	call    int64
	length  int
	session ha.Session
	due     int  // tick
	mute    bool // a write whose answer is lost
}

func (w *world) clone() *world {
	c := *w
	c.queue = slices.Clone(w.queue)
	c.later = slices.Clone(w.later)
	for i := range c.nodes {
		c.nodes[i].inbox = slices.Clone(w.nodes[i].inbox)
	}
	return &c
}

func (w *world) push(e event) { w.queue = append(w.queue, e) }

// postpone lets an event happen some ticks later.
func (w *world) postpone(e event, ticks int) {
	e.due = w.ticks + ticks
	w.later = append(w.later, e)
}

func (w *world) clock(n int) time.Duration {
	return time.Hour + time.Duration(w.ticks)*tick + w.moments - w.nodes[n].behind
}

func (w *world) violate(format string, args ...any) {
	if w.broken == "" {
		w.broken = fmt.Sprintf(format, args...)
	}
}

// pass is one step of time: guardians look, whatever is due happens, clients
// write, and every agent takes a turn.
func (w *world) pass() {
	w.ticks++
	w.moments = 0
	for i := range w.members {
		n := &w.nodes[i]
		if n.stopped {
			n.behind += tick
			if w.ticks >= n.paused {
				n.stopped = false
				n.excused = w.ticks + 8
			}
		}
		if until := n.state.Want.Until; n.engine.mode == ha.Primary && !n.stopped && n.state.Want.Mode == ha.Primary && w.clock(i) >= until {
			w.die(i)
		}
		if !n.up && w.ticks >= n.starts {
			w.boot(i)
		}
	}
	w.release()
	for i := range w.members {
		n := &w.nodes[i]
		if w.gateOpen(i) {
			w.clientWrites(i)
		}
		if n.up && w.ticks >= n.paused {
			inbox := n.inbox
			n.inbox = nil
			w.queue = append(w.queue, inbox...)
			w.queue = append(w.queue, event{kind: answer, node: i})
		}
	}
	w.refeed()
}

// release puts what is due into the queue.
func (w *world) release() {
	kept := w.later[:0]
	for _, e := range w.later {
		if e.due <= w.ticks {
			w.queue = append(w.queue, e)
		} else {
			kept = append(kept, e)
		}
	}
	w.later = kept
}

// happen does one event as it ordinarily happens.
func (w *world) happen(e event) {
	n := &w.nodes[e.node]
	switch e.kind {
	case message:
		if w.ticks >= n.cutAgents && w.ticks >= w.nodes[e.from].cutAgents {
			w.step(e)
		}
	case answer:
		w.step(e)
	case read:
		w.moments++
		if w.ticks >= n.cutRegister {
			r := &w.register
			w.push(event{kind: answer, node: e.node, reply: &ha.Reply{
				Call: e.call, Outcome: ha.Answered, Object: r.object(), Record: r.record, Bootstrap: r.bootstrap(),
			}})
		}
	case write:
		w.moments++
		w.swap(e)
	case work:
		w.workOn(e.node)
	case feed:
		w.fed(e.node)
	case acked:
		w.acknowledged(e)
	}
}

// step is one turn of an agent.
func (w *world) step(e event) {
	n := &w.nodes[e.node]
	switch {
	case !n.up:
		return
	case w.ticks < n.paused:
		n.inbox = append(n.inbox, e)
		return
	}
	before := n.state.Want
	next, actions := ha.Decide(n.state, ha.Observation{
		Now: w.clock(e.node), Random: uint64(e.node*977 + w.ticks*131), Engine: w.observe(e.node),
		Spec: ha.Spec{Members: w.members, Block: w.block}, Claim: "q" + n.state.UID, Message: e.message, Reply: e.reply,
	})
	n.state = next
	for _, a := range actions {
		w.act(e.node, a)
	}
	w.want(e.node, before)
}

func (w *world) act(n int, a ha.Action) {
	switch a := a.(type) {
	case ha.Send:
		if a.To < w.members {
			d := &w.nodes[n].state.Durable
			w.push(event{kind: message, node: a.To, from: n, message: &ha.Message{
				From: ha.Identity{Cluster: d.Cluster, UID: d.UID, Ordinal: n, Boot: d.Boot}, Body: a.Body,
			}})
		}
	case ha.Read:
		w.push(event{kind: read, node: n, call: a.Call})
	case ha.Write:
		w.push(event{kind: write, node: n, call: a.Call, write: &a})
	}
}

// crash ends the agent and everything of its pod; what it held in memory is
// gone. It starts again at a later tick.
func (w *world) crash(n int, ticks int) {
	w.die(n)
	w.nodes[n].up = false
	w.nodes[n].inbox = nil
	w.nodes[n].stopped = false
	w.nodes[n].paused = 0
	w.nodes[n].starts = w.ticks + ticks
}

func (w *world) boot(i int) {
	n := &w.nodes[i]
	d := n.state.Durable
	d.Boot = ha.Boot{Number: d.Boot.Number + 1, Nonce: uint64(d.Boot.Number + 1)}
	n.state = ha.Start(d, i, w.clock(i))
	n.up = true
}
