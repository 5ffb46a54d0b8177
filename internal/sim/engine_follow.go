package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// workStandby brings a standby to its source, or to none.
func (e *engine) workStandby() {
	d := &e.driver
	w := &d.want
	e.workGate()
	switch {
	case d.source != w.Source && (d.source.UID != "" || e.receiver.on):
		e.freezeLog()
	case w.Source.UID == "":
		if !d.final {
			e.freezeLog()
		}
	case w.Rebuild && (d.diverged == w.Source.Session && d.diverged != (ha.Session{}) || e.data.errant):
		e.rebuild()
	case d.source == w.Source || d.diverged == w.Source.Session && d.diverged != (ha.Session{}):
	case e.flavour == timelines && w.Source.Binding == "" && e.obeys(bindsSessions): // the leader cannot say yet what its session stands for
	default:
		e.follow()
	}
}

// freezeLog empties the source and ends the receiver, and says so when the
// receiver is seen to be gone: it may well go on for a while.
func (e *engine) freezeLog() {
	d := &e.driver
	d.begin()
	d.source = ha.Source{}
	e.step(e.w.between(5*ms, 30*ms), func() {
		e.receiver.on = false
		e.receiver.tries++
		if !e.obeys(endsReceiver) {
			e.receiverLingers()
			d.final = true
			d.end(e)
			return
		}
		e.step(e.w.between(10*ms, 40*ms), func() {
			e.await(20*ms, func() bool { return !e.halted }, func() {
				e.receiver.stop()
				d.final = true
				d.end(e)
			})
		})
	})
}

// receiverLingers is a receiver that was not told to end: it reads on what is
// on its way, and longer while replay stands still.
func (e *engine) receiverLingers() {
	c := e.receiver.conn
	if c == nil {
		return
	}
	e.w.after(e.w.between(0, 3*time.Second)+max(0, e.stallTo-e.w.clock), func() {
		if c.alive && !e.receiver.on {
			c.close()
		}
	})
}

// still tells whether the want that a job works for is still the newest.
func (d *driver) still(s ha.Source) bool { return d.want.Mode == ha.Standby && d.want.Source == s }

// follow looks at the leader's log before it lets the engine connect, and
// writes down first what the leader's session stands for.
func (e *engine) follow() {
	d := &e.driver
	d.begin()
	source := d.want.Source
	e.beforeFollowing(source, func() {
		leader := e.w.engine(source.Ordinal)
		if e.obeys(checksLineage) && !e.continues(leader, source) {
			d.diverged = source.Session
			d.end(e)
			return
		}
		e.step(e.w.between(ms, 6*ms), func() {
			if !d.still(source) || leader.data == nil {
				d.end(e)
				return
			}
			if e.flavour == timelines {
				for _, row := range leader.barriers() {
					e.bind(row)
				}
				e.bind(bindingOf(source.Binding, source.Session))
			} else {
				e.receiver.semi = leader.acks.lets(e.uid)
			}
			d.source, d.final = source, false
			e.receive(source)
			d.end(e)
		})
	})
}

// beforeFollowing waits until the own log is ready and the leader answers, as
// the primary of that very session.
func (e *engine) beforeFollowing(source ha.Source, then func()) {
	d := &e.driver
	e.await(50*ms, func() bool {
		leader := e.w.engine(source.Ordinal)
		return !d.still(source) || e.readyToFollow() && e.reaches(leader) && leader.process == primary && !leader.dying &&
			(leader.session == source.Session && leader.uid == source.UID && leader.barrier != nil || !e.obeys(pinsSession))
	}, func() {
		if !d.still(source) {
			d.end(e)
			return
		}
		then()
	})
}

// readyToFollow is false while a change of source would lose something, or
// while a position is not known that is to be compared.
func (e *engine) readyToFollow() bool {
	if !e.alive() || e.w.clock < e.parked && e.obeys(waitsForEndOfLog) {
		return false
	}
	if e.w.clock >= e.stallTo {
		return true
	}
	switch {
	case e.flavour == timelines:
		return true // the receiver waits
	case e.obeys(appliesBeforeChange):
		return false
	}
	e.data.truncate(e.stallFrom)
	e.stallTo = 0
	return true
}

// continues tells whether the own log can go on as the leader's: it is a
// prefix of it, by whatever tells sessions apart.
func (e *engine) continues(leader *engine, source ha.Source) bool {
	mine := e.data.image(e, e.data.log.length)
	mine.torn = e.data.torn && !e.obeys(comparesWholeEntries)
	if e.flavour == timelines && e.obeys(bindsSessions) && !e.sameSessions(mine, leader, source) {
		return false
	}
	switch e.withoutErrant(mine).Compare(leader.data.image(leader, leader.data.log.length)) {
	case ha.Equal, ha.Behind:
		return leader.canFeed(e) || !e.obeys(tellsUnfed)
	}
	return false
}

// sameSessions tells whether every timeline of the own log stands for the same
// session here and at the leader, which has a barrier's row for each, and so
// does the number that the leader's session goes by, if it was used here. The
// newest timeline alone would not do: an older one may be another's as well.
func (e *engine) sameSessions(mine *image, leader *engine, source ha.Source) bool {
	theirs := bindingOf(source.Binding, source.Session)
	if b, known := e.data.boundTo(theirs.timeline); known && b != theirs {
		return false
	}
	rows := leader.barriers()
	for i := 0; i < mine.segs(); {
		run, next := mine.timeline(i)
		i = next
		b, known := e.data.boundTo(mine.mark(run))
		if !known {
			return false
		}
		for _, row := range rows {
			if row.timeline == b.timeline && row != b {
				return false
			}
		}
	}
	return true
}

// barriers are the rows that the sessions in the log have written, one for
// each timeline.
func (e *engine) barriers() []binding {
	l := e.data.image(e, e.data.log.length)
	rows := make([]binding, 0, l.segs())
	for i := 0; i < l.segs(); {
		run, next := l.timeline(i)
		rows = append(rows, binding{l.mark(run), run.lo, e.w.history.branches[run.branch].session})
		i = next
	}
	return rows
}

// bind writes down what a timeline stands for.
func (e *engine) bind(b binding) {
	if have, known := e.data.boundTo(b.timeline); !known || have != b {
		e.data.bound = append(e.data.bound, b)
	}
}

// cannotContinue is what the engine's refusal to be fed is told as.
func (d *driver) cannotContinue(e *engine) {
	e.receiver.stop()
	d.diverged = d.want.Source.Session
	d.source = ha.Source{}
	d.final = true
	e.changed()
	d.work(e)
}

// learnSemi makes a follower of sets acknowledge, or not, as the leader's
// agent tells it: that counts from the receiver's next start.
func (e *engine) learnSemi(leader *engine) {
	life := e.life
	e.w.after(e.w.between(50*ms, 400*ms), func() {
		semi := leader.acks.lets(e.uid)
		if e.life != life || !e.receiver.on || e.driver.paused || !e.driver.up || e.receiver.semi == semi {
			return
		}
		e.receiver.semi = semi
		if c := e.receiver.conn; c != nil {
			c.close() // and connects again
		}
	})
}
