package sim

import (
	"fmt"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// checks is what must hold, and what is known so far to hold it against:
//
//	A  nothing that was acknowledged, or that a client could read after a gate
//	   opened, is missing when any later gate opens
//	B  at most one gate is open
//	C  terms, versions and sessions only grow; a version is one record
//	D  when faults stop, the Database serves again with its rule grown back
//	E  and then the register rests
type checks struct {
	broken string // the first violation; empty: none
	at     time.Duration

	opened  *engine    // whose gate opened last
	session ha.Session // that it opened in
	log     *image     // what it held then

	excused [ha.MaxMembers]time.Duration // B does not count this member's gate before that
	records map[int64]ha.Record
	highest ha.Record
	opens   int
}

// violate ends the run.
func (w *world) violate(format string, args ...any) {
	if w.checks.broken != "" {
		return
	}
	w.checks.broken = fmt.Sprintf(format, args...)
	w.checks.at = w.clock
	w.halted = true
	w.tracef("VIOLATION  %s", w.checks.broken)
}

// check looks at B after every event, and lets aimed faults look as well.
func (w *world) check() {
	if len(w.aimed) > 0 {
		w.take()
	}
	w.released, w.landed = nil, nil
	var open *engine
	for _, p := range w.pods {
		if p != nil && p.engine.gateOpen() {
			open = w.oneOpen(p, open)
		}
	}
	for _, g := range w.ghosts {
		if g.engine.gateOpen() {
			open = w.oneOpen(g, open)
		}
	}
}

// oneOpen counts one open gate. A primary that was stopped as a whole is
// excused for the moment it needs to find out, for clients can only read there.
func (w *world) oneOpen(p *pod, open *engine) *engine {
	if w.clock < w.checks.excused[p.ordinal] {
		return open
	}
	if open != nil {
		w.violate("B: the gates of %s and %s are open at once", open.uid, p.engine.uid)
	}
	return p.engine
}

// woke excuses a primary that goes on after a stop as a whole: until it is
// dead, if its clock ran on; else until its lease is over by that clock.
func (w *world) woke(p *pod, kind pause) {
	t := ha.TimingsOf(p.state.Seen.Profile)
	grace := t.Kill + tickEvery
	if kind == pauseStop {
		grace += t.Fence * 11 / 10
	}
	w.checks.excused[p.ordinal] = max(w.checks.excused[p.ordinal], w.clock+grace)
}

// acknowledged is called when an engine decides that a client may hear of
// success: from now on the entry must be in every log that opens. If another
// gate has opened meanwhile, it must be there already.
func (w *world) acknowledged(e *engine, branch int32, index int64) {
	b := &w.history.branches[branch]
	b.relied = max(b.relied, index+1)
	c := &w.checks
	if c.opened == nil || c.opened == e {
		return
	}
	if _, ok := c.log.covers(branch, index); !ok {
		w.violate("A: %s acknowledges a write of session %v, which is not in session %v that opened later", e.uid, b.session, c.session)
	}
}

// gateOpened is called when clients may write to an engine, and read at least
// what is in readable.
func (w *world) gateOpened(e *engine, readable *image) {
	c := &w.checks
	c.opens++
	log, session := e.image(), e.session
	if w.tracing() {
		w.tracef("%s  its gate is open in session %v with log %v", e.uid, session, log)
	}
	what, lost := w.history.lost(log)
	old := session.Before(c.session) || session == c.session && c.opened != e
	if (lost || old) && w.clock < c.excused[e.ordinal] {
		return // it was on its way to open when it was stopped, and is dead in a moment
	}
	if lost {
		w.violate("A: %s opens without %s", e.uid, what)
	}
	if old {
		w.violate("C: %s opens in session %v after session %v was open", e.uid, session, c.session)
	}
	c.opened, c.session, c.log = e, session, log
	w.history.rely(readable)
}

// recorded is called before a record is written.
func (w *world) recorded(p *pod, r ha.Record) {
	c := &w.checks
	w.landed = p
	if w.tracing() {
		w.tracef("register  %v", r)
	}
	if c.records == nil {
		c.records = map[int64]ha.Record{}
	}
	old, used := c.records[r.Version]
	switch {
	case used && r.Equal(old):
		return // the same once more
	case used:
		w.violate("C: version %d is used for %v and for %v", r.Version, old, r)
	case r.Version <= c.highest.Version:
		w.violate("C: version %d is written after version %d", r.Version, c.highest.Version)
	case r.Term < c.highest.Term || r.Term == c.highest.Term && r.Leader != c.highest.Leader:
		w.violate("C: %v follows %v", r, c.highest)
	case r.Validate() != nil:
		w.violate("C: %v", r.Validate())
	}
	c.records[r.Version] = r
	c.highest = r
}
