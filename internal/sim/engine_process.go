package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// start brings up a process; it is told to be a standby without a source.
func (e *engine) start(done func()) {
	e.life++
	e.process = starting
	life := e.life
	took := e.w.between(150*ms, 900*ms)
	e.w.after(took, func() {
		switch {
		case e.life != life || e.process != starting:
		case e.vacant():
			e.die()
		default:
			e.started()
			done()
		}
	})
}

// started is when the engine answers its first question. What it finds in the
// files it makes durable before it reads it.
func (e *engine) started() {
	e.process = standby
	e.data.flushed = e.data.log.length
	e.parked = e.w.clock
	e.acks = e.standbyAcks()
	if e.flavour == timelines && e.unkind().slowRecovery {
		e.parked += e.sometimesLonger(0, 1500*ms, 4*time.Second)
	}
	if e.data.leading && !e.obeys(bootsAsStandby) {
		e.resume()
	}
	e.data.leading = e.process == primary
}

// sometimesLonger draws a duration that is now and then far above the usual.
func (e *engine) sometimesLonger(low, usual, longest time.Duration) time.Duration {
	if e.w.chance(5) {
		return e.w.between(usual, longest)
	}
	return e.w.between(low, usual)
}

// kill is SIGKILL to the engine and to whatever rewinds or replaces its data.
// Death takes a moment, in which it does what it did before.
func (e *engine) kill() {
	if e.driver.rebuilding {
		e.driver.abandonRebuild(e)
		e.w.after(50*ms, func() { e.driver.work(e) })
	}
	if e.process == dead || e.dying {
		return
	}
	e.dying = true
	life := e.life
	took := e.w.between(ms, 30*ms)
	if e.unkind().slowDeath && e.w.chance(4) {
		took = e.w.between(30*ms, 200*ms)
	}
	e.w.after(took, func() {
		if e.life == life {
			e.die()
		}
	})
	e.changed()
}

// die is the end of the process.
func (e *engine) die() {
	if e.process == dead {
		return
	}
	was := e.process
	if was >= standby && e.data != nil {
		e.loseBuffers()
	}
	e.life++
	e.process, e.dying, e.halted, e.halts = dead, false, false, 0
	e.thawed = nil
	e.orphans = 0
	if was == primary && e.flavour == timelines && e.unkind().orphans && !e.obeys(killsEveryProcess) {
		e.orphans = e.w.clock + e.w.between(500*ms, 2*time.Second)
	}
	for _, c := range e.conns {
		c.alive = false
		c.to.receiver.lost(c)
	}
	e.conns = e.conns[:0]
	e.receiver.stop()
	e.disk.flushing = false
	e.clients.died(e)
	session := e.session
	e.session, e.barrier, e.first = ha.Session{}, nil, 0
	e.stallTo = 0
	e.driver.died(e, session)
	e.changed()
}

// loseBuffers drops, by chance, some of what was written and not flushed: a
// part may have been in the engine's own memory.
func (e *engine) loseBuffers() {
	d := e.data
	if spare := d.log.length - d.flushed; spare > 0 {
		d.truncate(d.flushed + e.w.rng.Int64N(spare+1))
	}
	c := e.receiver.conn
	if e.process == standby && c != nil && c.flight && e.unkind().tornEntries && e.w.chance(2) {
		d.torn = true
	}
}

// powerLoss ends everything at once. What was written and not flushed is gone
// if the machine's memory is.
func (e *engine) powerLoss(loseUnsynced bool) {
	e.driver.abandonRebuild(e)
	e.die()
	if e.data != nil && loseUnsynced {
		e.data.truncate(e.data.flushed)
	}
}

// freeze stops all processes of the engine where they are. Its connections
// stay.
func (e *engine) freeze() {
	if e.process == dead {
		return
	}
	e.halts++
	if e.halted {
		return
	}
	e.halted = true
	e.driver.haltedAt = e.w.clock
}

// thaw lets them go on.
func (e *engine) thaw() {
	e.halts = max(0, e.halts-1)
	if !e.halted || e.halts > 0 {
		return
	}
	e.halted = false
	e.runAll(&e.thawed)
}

// runAll does what has waited.
func (e *engine) runAll(waiting *[]func()) {
	todo := *waiting
	*waiting = nil
	for _, f := range todo {
		f()
	}
}

// stallReplay makes what is received from now on wait for being applied.
func (e *engine) stallReplay(d time.Duration) {
	if e.process != standby {
		return
	}
	if e.w.clock >= e.stallTo {
		e.stallFrom = e.data.flushed
	}
	e.stallTo = max(e.stallTo, e.w.clock+d)
	life := e.life
	e.w.after(e.stallTo-e.w.clock, func() {
		if e.life == life {
			e.driver.work(e)
		}
	})
}

// recycle makes the log up to now impossible to send.
func (e *engine) recycle() {
	if e.data != nil {
		e.data.purged = e.data.flushed
	}
}
