package exhaustive

import (
	"strings"

	"github.com/myuser/db-operator/internal/ha"
)

// text is a log, one letter per entry.
type text string

var _ ha.Log = text("")

// Compare implements ha.Log.
func (l text) Compare(other ha.Log) ha.Order {
	o, ok := other.(text)
	switch {
	case !ok:
		return ha.Unknown
	case l == o:
		return ha.Equal
	case strings.HasPrefix(string(l), string(o)):
		return ha.Ahead
	case strings.HasPrefix(string(o), string(l)):
		return ha.Behind
	}
	return ha.Diverged
}

// String implements ha.Log.
func (l text) String() string { return string(l) }

// engine is one member's engine with its driver. What it does it does at once;
// what it has is on the disk.
type engine struct {
	mode     ha.Mode // Vacant, Down, Standby or Primary
	log      text
	source   ha.Source // of a standby
	diverged ha.Session

	session ha.Session // of a primary
	spent   ha.Session // not to be resumed
	rule    ha.Rule
	barrier text
	gate    ha.Gate
	acked   [most]int // length that each follower has confirmed
}

// observe is what the driver shows.
func (w *world) observe(i int) ha.Engine {
	e := &w.nodes[i].engine
	o := ha.Engine{Mode: e.mode, Diverged: e.diverged}
	if e.mode < ha.Standby {
		return o
	}
	o.Position = ha.Position{Session: w.sessionOf(e.log), Log: e.log}
	if e.mode == ha.Standby {
		o.Source = e.source
		o.Frozen = e.source == ha.Source{}
		return o
	}
	o.Session, o.Rule, o.Gate, o.Barrier = e.session, e.rule, e.gate, e.barrier
	return o
}

// sessionOf is the session of the last barrier in a log.
func (w *world) sessionOf(l text) ha.Session {
	for i := len(l) - 1; i >= 0; i-- {
		for _, b := range w.barriers {
			if b.entry == l[i] {
				return b.session
			}
		}
	}
	return ha.Session{}
}

// want takes up a wish: killing and closing at once, the rest when it comes to
// that.
func (w *world) want(i int, before ha.Want) {
	n := &w.nodes[i]
	e, now := &n.engine, &n.state.Want
	switch {
	case e.mode == ha.Primary && (now.Mode == ha.Down || now.Mode == ha.Primary && now.Session != e.session):
		w.die(i)
	case e.mode == ha.Primary && now.Gate != ha.GateOpen:
		e.gate = ha.GateClosed
	}
	if w.unlike(i) {
		w.push(event{kind: work, node: i})
	}
}

// unlike tells whether there is something to do.
func (w *world) unlike(i int) bool {
	e, now := &w.nodes[i].engine, &w.nodes[i].state.Want
	switch {
	case e.mode == ha.Vacant:
		return now.Initialise || now.Rebuild
	case now.Mode == ha.Down:
		return e.mode != ha.Down
	case now.Mode == ha.Standby:
		return e.mode != ha.Standby || e.source != now.Source && (e.diverged == ha.Session{} || e.diverged != now.Source.Session || now.Rebuild)
	}
	return e.mode != ha.Primary && now.Session != e.spent || e.mode == ha.Primary && (!e.rule.Equal(now.Rule) || e.gate != now.Gate)
}

// workOn does all that is to be done, and lets the agent see it.
func (w *world) workOn(i int) {
	n := &w.nodes[i]
	if !n.up || n.stopped || w.ticks < n.paused || !w.unlike(i) {
		return
	}
	e, now := &n.engine, &n.state.Want
	switch {
	case e.mode == ha.Vacant && now.Initialise:
		e.mode = ha.Standby
	case now.Mode == ha.Down:
		w.die(i)
	case e.mode == ha.Down:
		e.mode, e.source = ha.Standby, ha.Source{}
	case now.Mode == ha.Primary && e.mode == ha.Standby:
		w.promote(i)
	case now.Mode == ha.Primary:
		e.rule = now.Rule
		if e.gate != ha.GateOpen && now.Gate == ha.GateOpen {
			w.open(i)
		}
		e.gate = now.Gate
		w.count(i)
	case e.mode == ha.Primary:
		e.mode, e.gate, e.spent = ha.Standby, ha.GateClosed, e.session
		e.source = ha.Source{}
	default:
		if !w.follow(i) {
			return
		}
	}
	w.push(event{kind: answer, node: i})
}

func (w *world) promote(i int) {
	e, now := &w.nodes[i].engine, &w.nodes[i].state.Want
	e.mode, e.session, e.rule, e.gate, e.source = ha.Primary, now.Session, now.Rule, ha.GateClosed, ha.Source{}
	e.acked = [most]int{}
	entry := w.append(i)
	w.barriers = append(w.barriers[:len(w.barriers):len(w.barriers)], barrier{entry, e.session})
	e.barrier = e.log
}

// follow looks at the logs, and connects; false if the leader is not there.
func (w *world) follow(i int) bool {
	e, now := &w.nodes[i].engine, &w.nodes[i].state.Want
	e.source, e.diverged = ha.Source{}, ha.Session{}
	s := now.Source
	if s == (ha.Source{}) {
		return true
	}
	leader := &w.nodes[s.Ordinal].engine
	if !w.connected(i, s.Ordinal) || leader.mode != ha.Primary || leader.session != s.Session {
		return false
	}
	if o := e.log.Compare(leader.log); e.mode == ha.Vacant || o != ha.Equal && o != ha.Behind {
		if !now.Rebuild {
			e.diverged = s.Session
			return true
		}
		e.log = leader.log
	}
	e.mode, e.source = ha.Standby, s
	w.push(event{kind: feed, node: i})
	return true
}

func (w *world) connected(a, b int) bool {
	x, y := &w.nodes[a], &w.nodes[b]
	return !x.stopped && !y.stopped && w.ticks >= x.cutLog && w.ticks >= y.cutLog
}

// refeed goes on with connections that stood still, and with engines that wait
// for their leader.
func (w *world) refeed() {
	for i := range w.members {
		if e := &w.nodes[i].engine; e.mode == ha.Standby && e.source != (ha.Source{}) {
			w.push(event{kind: feed, node: i})
		}
		if w.unlike(i) {
			w.push(event{kind: work, node: i})
		}
	}
}

// fed takes over what the leader has, and acknowledges it.
func (w *world) fed(i int) {
	e := &w.nodes[i].engine
	s := e.source
	if e.mode != ha.Standby || s == (ha.Source{}) || !w.connected(i, s.Ordinal) {
		return
	}
	leader := &w.nodes[s.Ordinal].engine
	if leader.mode != ha.Primary || leader.session != s.Session {
		return
	}
	e.log = leader.log
	w.push(event{kind: acked, node: s.Ordinal, from: i, length: len(e.log), session: s.Session})
}

func (w *world) acknowledged(a event) {
	e := &w.nodes[a.node].engine
	if e.mode != ha.Primary || e.session != a.session || !w.connected(a.node, a.from) {
		return
	}
	e.acked[a.from] = max(e.acked[a.from], a.length)
	w.count(a.node)
}

// append writes one entry and sends it to whoever follows.
func (w *world) append(i int) byte {
	w.next++
	e := &w.nodes[i].engine
	e.log += text(rune(w.next))
	for f := range w.members {
		if s := w.nodes[f].engine.source; f != i && s.Ordinal == i && s.Session == e.session {
			w.push(event{kind: feed, node: f})
		}
	}
	return w.next
}

// die ends the engine's processes.
func (w *world) die(i int) {
	e := &w.nodes[i].engine
	if e.mode < ha.Standby {
		return
	}
	if e.mode == ha.Primary {
		e.spent = e.session
	}
	e.mode, e.gate, e.source = ha.Down, ha.GateClosed, ha.Source{}
	if n := &w.nodes[i]; n.up {
		w.push(event{kind: answer, node: i})
	}
}
