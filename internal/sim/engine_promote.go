package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// promote makes a primary of a standby: gate closed, log final and applied, the
// rule in force, the session on the disk; and only then a new branch, whose
// first entry is the barrier.
func (e *engine) promote() {
	d := &e.driver
	d.begin()
	d.promoting = true
	session, rule := d.want.Session, d.want.Rule
	e.receiver.on = false
	e.receiver.tries++
	if e.obeys(closesBeforePromoting) {
		e.workGate()
	}
	e.await(20*ms, func() bool {
		return d.want.Mode != ha.Primary || d.want.Session != session || e.readyToPromote()
	}, func() {
		if d.want.Mode != ha.Primary || d.want.Session != session {
			d.end(e)
			return
		}
		e.receiver.stop()
		d.source, d.final = ha.Source{}, true
		if e.obeys(ruleBeforeWrite) {
			e.firstRule(rule, func() { e.writeIntent(session, rule) })
		} else {
			e.writeIntent(session, rule)
		}
	})
}

// readyToPromote tells whether everything that was received is applied and no
// client is there.
func (e *engine) readyToPromote() bool {
	if e.clients.gate != ha.GateClosed && e.obeys(closesBeforePromoting) || !e.alive() || e.disk.hung || e.w.clock < e.parked {
		return false
	}
	if e.data.minimum > e.data.flushed && e.obeys(keepsMinimum) {
		return false
	}
	if e.w.clock < e.stallTo && e.flavour == timelines && e.obeys(endsBlockers) {
		e.stallTo = 0
	}
	return e.w.clock >= e.stallTo
}

// standbyAcks is by what commits would wait if a standby had any.
func (e *engine) standbyAcks() acks {
	if e.flavour == timelines && e.obeys(namesNeverEmpty) {
		return acks{count: 1, names: []string{"-"}}
	}
	return acks{}
}

// firstRule puts the rule in force on a standby. Timelines that named somebody
// all along change from one list of names to another at once.
func (e *engine) firstRule(r ha.Rule, then func()) {
	e.acks = e.standbyAcks()
	e.changeRule(r, func(done bool) {
		if done {
			e.driver.rule = r
		}
		then()
	})
}

// writeIntent puts on the disk what the next timeline will stand for.
func (e *engine) writeIntent(session ha.Session, rule ha.Rule) {
	e.step(e.w.between(ms, 6*ms), func() {
		if e.flavour == timelines && e.obeys(bindsBeforePromoting) {
			l := e.data.image(e, e.data.log.length)
			run, _ := l.timeline(l.lastTimeline())
			e.data.intent = binding{timeline: l.mark(run), session: session}
		}
		took := e.w.between(30*ms, 250*ms)
		if e.flavour == sets && e.data.torn && !e.obeys(killsWorkers) {
			took += time.Minute
		}
		e.step(took, func() {
			e.await(20*ms, func() bool { return e.alive() && !e.disk.hung && !e.disk.full }, func() {
				e.becomePrimary(session, rule)
			})
		})
	})
}

// becomePrimary begins the session: from here on the log is the engine's own.
func (e *engine) becomePrimary(session ha.Session, rule ha.Rule) {
	d, h := e.data, &e.w.history
	d.torn, d.errant = false, false // whatever it holds is the data now
	b := branch{session: session, mark: d.newest + 1, at: d.log.length}
	if e.flavour == sets {
		b.mark, b.at = d.server, d.log.nextNumber(h, d.server)
	} else {
		d.newest++
	}
	e.branch = h.begin(b)
	e.process = primary
	d.leading, d.led = true, session
	e.session = session
	e.acks.upTo = 0
	e.append(0)
	e.first = d.log.length
	e.barrier = nil
	e.flush()
	e.step(e.w.between(ms, 6*ms), func() {
		if e.flavour == timelines {
			made := binding{b.mark, b.at, session}
			e.bind(made)
			e.driver.binding = made.String()
			d.intent = binding{}
		}
		e.startBeating()
		if e.obeys(ruleBeforeWrite) {
			e.driver.end(e)
			return
		}
		e.firstRule(rule, func() { e.driver.end(e) })
	})
}

// workPrimary keeps a primary's rule and gate as they are wanted.
func (e *engine) workPrimary() {
	d := &e.driver
	e.workGate()
	rule := d.want.Rule
	if len(rule.Members) == 0 || rule.Equal(d.rule) {
		return
	}
	d.begin()
	d.rule = ha.Rule{} // on the way neither is in force
	e.changeRule(rule, func(done bool) {
		if done {
			d.rule = rule
			d.end(e)
			return
		}
		e.step(300*ms, func() { d.end(e) })
	})
}

// startBeating writes once a second while somebody waits for an
// acknowledgement.
func (e *engine) startBeating() {
	if e.flavour == timelines || !e.obeys(beats) {
		return
	}
	e.driver.beat++
	e.beatOn(e.life, e.driver.beat)
}

func (e *engine) beatOn(life, beat int) {
	e.w.after(time.Second, func() {
		if e.life != life || e.driver.beat != beat || e.process != primary {
			return
		}
		if !e.halted && !e.driver.paused && e.acks.upTo < e.data.log.length {
			e.append(0)
			e.flush()
		}
		e.beatOn(life, beat)
	})
}

// stepDown ends a session cleanly: nobody writes any more, and what was
// written is where it can be had.
func (e *engine) stepDown() {
	d := &e.driver
	d.begin()
	d.spent = e.session
	e.workGate()
	e.await(10*ms, func() bool { return e.clients.gate == ha.GateClosed && e.alive() }, func() {
		if e.flavour == sets {
			e.await(20*ms, func() bool { return e.acks.upTo >= e.data.log.length }, e.becomeStandby)
			return
		}
		e.append(0) // the record of the shutdown
		e.flush()
		e.await(10*ms, e.everybodyHasIt, func() {
			e.process = standby // it ends as one: nobody is left to be an orphan
			e.die()
		})
	})
}

// everybodyHasIt is what an engine of timelines waits for when it stops.
func (e *engine) everybodyHasIt() bool {
	for i := len(e.conns) - 1; i >= 0; i-- {
		if c := e.conns[i]; !e.counts(c) {
			c.close() // a learner must not hold up the stop
		}
	}
	for _, c := range e.conns {
		if c.acked < e.data.log.length {
			return false
		}
	}
	return e.data.flushed == e.data.log.length
}

// becomeStandby is a primary of sets that only reads from now on.
func (e *engine) becomeStandby() {
	d := &e.driver
	for len(e.conns) > 0 {
		e.conns[0].close()
	}
	e.process = standby
	e.data.leading = false
	e.session, e.barrier, e.first = ha.Session{}, nil, 0
	e.parked = e.w.clock
	e.acks = e.standbyAcks()
	d.rule, d.binding, d.final = ha.Rule{}, "", true
	d.end(e)
}
