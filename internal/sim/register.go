package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// register is the object that holds the record, with a true compare-and-swap
// and an interface that can be as bad as an API server's on its worst day.
type register struct {
	exists    bool
	object    ha.Object
	record    ha.Record
	bootstrap int
	history   []revision // every content it ever had, oldest first
	made      int        // objects created

	down    int // outages
	slow    int // answers take up to two seconds
	forgets int // writes happen and are not answered, or answered as conflicts
	late    int // writes land seconds after their callers gave up
	stale   int // reads may answer with the past

	restores uint64 // turns the number of a request made before into nothing
	writes   int
	changed  time.Duration // of the last write
	tried    int64         // highest version anybody asked it to hold
}

// revision is a content that the register had.
type revision struct {
	object ha.Object
	record ha.Record
}

// callDeadline is when a runner gives up on a call: longer than Decide waits,
// so that answers come late too.
const callDeadline = 1200 * ms

// createRegister is the operator's: an empty object.
func (w *world) createRegister(bootstrap int) {
	r := &w.register
	r.made++
	*r = register{
		exists: true, object: ha.Object{UID: uidOf('r', r.made), Number: w.nextNumber()},
		bootstrap: bootstrap, history: r.history, made: r.made,
		down: r.down, slow: r.slow, forgets: r.forgets, late: r.late, stale: r.stale,
		restores: r.restores, writes: r.writes, changed: r.changed, tried: r.tried,
	}
}

// nextNumber grows, but only since the last restore. The remainder tells
// restores apart, so that no number ever stands for two contents.
func (w *world) nextNumber() uint64 {
	r := &w.register
	return (r.object.Number/64+1+uint64(w.pick(50)))*64 + r.restores%64
}

// deleteRegister removes the object, by somebody's mistake.
func (w *world) deleteRegister() { w.register.exists = false }

// editRegister puts the past into the object as a new version of it.
func (w *world) editRegister(to revision) {
	r := &w.register
	r.record, r.bootstrap = to.record, 0
	r.object.Number = w.nextNumber()
}

// restoreRegister turns the object back, number and all. Requests that were
// under way are gone: nothing survives the restore of a store.
func (w *world) restoreRegister(to revision) {
	r := &w.register
	r.exists, r.object, r.record, r.bootstrap = true, to.object, to.record, 0
	r.restores++
}

// read asks the register for a pod.
func (w *world) read(p *pod, call int64) {
	w.register.ask(w, p, call, func() ha.Reply {
		r := &w.register
		reply := ha.Reply{Call: call, Outcome: ha.Missing}
		if r.exists {
			reply = ha.Reply{Call: call, Outcome: ha.Answered, Object: r.object, Record: r.record, Bootstrap: r.bootstrap}
		}
		if r.stale > 0 && len(r.history) > 1 && w.chance(3) {
			past := r.history[len(r.history)-1-w.pick(min(3, len(r.history)))]
			reply = ha.Reply{Call: call, Outcome: ha.Answered, Object: past.object, Record: past.record}
		}
		return reply
	})
}

// write asks the register to replace base, and only that.
func (w *world) write(p *pod, call int64, base ha.Object, record ha.Record) {
	r := &w.register
	r.tried = max(r.tried, record.Version)
	epoch := r.restores
	swap := func() ha.Reply {
		switch {
		case !r.exists || epoch != r.restores:
			return ha.Reply{Call: call, Outcome: ha.Missing}
		case r.object != base:
			return ha.Reply{Call: call, Outcome: ha.Conflicted}
		}
		w.recorded(p, record)
		r.record, r.bootstrap = record, 0
		r.object.Number = w.nextNumber()
		r.history = append(r.history, revision{r.object, record})
		r.writes++
		r.changed = w.clock
		return ha.Reply{Call: call, Outcome: ha.Answered, Object: r.object, Record: record}
	}
	link := &w.network.api[p.ordinal]
	if r.late > 0 && w.chance(2) && r.down == 0 && link.up() {
		w.after(w.between(100*ms, 4*time.Second), func() {
			if swap().Outcome != ha.Answered && w.tracing() {
				w.tracef("register  too late: version %d for %s", record.Version, record.Leader)
			}
		})
		p.answer(callDeadline, ha.Reply{Call: call})
		return
	}
	if r.forgets > 0 && w.chance(2) && r.down == 0 && link.up() {
		w.after(link.delay(w), func() {
			reply := swap()
			if reply.Outcome == ha.Answered && w.chance(2) {
				p.answer(link.delay(w), ha.Reply{Call: call, Outcome: ha.Conflicted}) // its own retry was answered
				return
			}
			p.answer(callDeadline, ha.Reply{Call: call})
		})
		return
	}
	r.ask(w, p, call, swap)
}

// ask carries one request there and its answer back.
func (r *register) ask(w *world, p *pod, call int64, serve func() ha.Reply) {
	link := &w.network.api[p.ordinal]
	unanswered := ha.Reply{Call: call}
	if r.down > 0 || !link.up() || !w.quiet && w.chance(300) {
		if w.chance(2) {
			p.answer(w.between(1*ms, 20*ms), unanswered) // refused at once
		} else {
			p.answer(callDeadline, unanswered)
		}
		return
	}
	there, back := link.delay(w), link.delay(w)
	if r.slow > 0 {
		there += w.between(0, 1500*ms)
		back += w.between(0, 1500*ms)
	}
	w.after(there, func() {
		if r.down > 0 {
			p.answer(callDeadline, unanswered)
			return
		}
		reply := serve()
		if !link.up() || !w.quiet && w.chance(500) {
			p.answer(callDeadline, unanswered)
			return
		}
		p.answer(back, reply)
	})
}

// healRegister ends every fault of the register's interface.
func (w *world) healRegister() {
	r := &w.register
	r.down, r.slow, r.forgets, r.late, r.stale = 0, 0, 0, 0, 0
}

// newest is the last record written, whatever became of the object.
func (r *register) newest() ha.Record {
	if len(r.history) == 0 {
		return ha.Record{}
	}
	return r.history[len(r.history)-1].record
}
