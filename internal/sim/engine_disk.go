package sim

import "time"

// disk is where the log lies.
type disk struct {
	flushing bool
	upTo     int64 // of the flush under way
	extra    time.Duration
	hung     bool
	hungAt   time.Duration
	full     bool
	freed    []func() // to do when it no longer hangs
}

// flushTime is what one flush takes.
func (e *engine) flushTime() time.Duration {
	d := 300*time.Microsecond + time.Duration(e.w.rng.Int64N(int64(1500*time.Microsecond)))
	if e.disk.extra > 0 {
		d += time.Duration(e.w.rng.Int64N(int64(e.disk.extra) + 1))
	}
	return d
}

// flush makes what is written durable, one flush at a time, and then goes on
// with whoever waits for that.
func (e *engine) flush() {
	if e.disk.flushing || e.data.flushed == e.data.log.length {
		return
	}
	e.disk.flushing = true
	e.disk.upTo = e.data.log.length
	life := e.life
	e.w.after(e.flushTime(), func() { e.flushDone(life) })
}

func (e *engine) flushDone(life int) {
	switch {
	case e.life != life || !e.disk.flushing:
		return
	case e.halted:
		e.thawed = append(e.thawed, func() { e.flushDone(life) })
		return
	case e.disk.hung:
		e.disk.freed = append(e.disk.freed, func() { e.flushDone(life) })
		return
	}
	e.disk.flushing = false
	e.data.flushed = max(e.data.flushed, e.disk.upTo)
	if e.process == primary {
		e.afterFlush()
	}
	e.flush()
}

// afterFlush sends what is flushed, and nothing else, to the followers.
func (e *engine) afterFlush() {
	if e.barrier == nil && e.first > 0 && e.data.flushed >= e.first {
		e.barrier = e.data.image(e, e.first)
		e.changed()
	}
	for _, c := range e.conns {
		c.push()
	}
	e.release()
	if e.unkind().recycling && e.w.chance(500) {
		e.recycleSome()
	}
}

// recycleSome drops what no connected follower needs any more.
func (e *engine) recycleSome() {
	upTo := e.data.flushed
	for _, c := range e.conns {
		upTo = min(upTo, c.cursor)
	}
	e.data.purged = max(e.data.purged, upTo)
}

// slowDisk makes every flush take up to d longer.
func (e *engine) slowDisk(d time.Duration) { e.disk.extra = d }

// hangDisk makes every flush wait until it is called off.
func (e *engine) hangDisk(hung bool) {
	if hung && !e.disk.hung {
		e.disk.hungAt = e.w.clock
	}
	e.disk.hung = hung
	if !hung {
		e.runAll(&e.disk.freed)
	}
}

// fullDisk makes every write fail.
func (e *engine) fullDisk(full bool) { e.disk.full = full }
