package sim

import "github.com/myuser/db-operator/internal/ha"

// errantWrite is a person who writes where nobody may. In sets that is a
// transaction under the engine's own number; timelines cannot be written to
// without being promoted, so that is what happens.
func (e *engine) errantWrite() {
	if e.process != standby || !e.alive() || e.dying {
		return
	}
	if e.flavour == sets {
		if e.unkind().foreignWrites && e.w.chance(4) {
			e.errantWriteUnder()
		} else {
			e.errantWriteHere()
		}
		return
	}
	if e.w.clock < e.parked || e.w.clock < e.stallTo {
		return
	}
	e.receiver.stop()
	e.data.newest++
	e.writeErrantly(e.data.newest)
	e.data.errant = true
	e.kill() // the driver finds a primary that nobody asked for
}

// errantWriteHere is a transaction under the engine's own number.
func (e *engine) errantWriteHere() {
	e.writeErrantly(e.data.server)
	e.data.errant = true
	e.changed()
}

// errantWriteUnder is the same under a number of nobody's, which the driver
// cannot tell from a leader's.
func (e *engine) errantWriteUnder() {
	if e.flavour != sets || e.process != standby || !e.alive() || e.dying {
		return
	}
	e.w.history.servers++
	e.writeErrantly(e.w.history.servers)
}

func (e *engine) writeErrantly(mark int32) {
	d, h := e.data, &e.w.history
	b := branch{mark: mark, errant: true, at: d.log.length}
	if e.flavour == sets {
		b.at = d.log.nextNumber(h, mark)
	}
	n := h.begin(b)
	h.branches[n].ids = append(h.branches[n].ids, 0)
	d.log.add(seg{n, b.at, b.at + 1})
	d.flushed = d.log.length
	e.shown = shown{}
}

// resume is an engine that starts as what it was.
func (e *engine) resume() {
	last := e.data.log.segs[len(e.data.log.segs)-1]
	h := &e.w.history
	b := h.branches[last.branch]
	e.branch = h.begin(branch{mark: b.mark, at: last.hi, session: ha.Session{}})
	e.process = primary
	e.session = e.data.led
	e.first = e.data.log.length
	e.barrier = e.data.image(e, e.first)
	e.acks = acks{}
	e.clients.logins, e.clients.admitted, e.clients.gate, e.clients.aim = ha.GateOpen, ha.GateOpen, ha.GateOpen, ha.GateOpen
	e.opened()
}
