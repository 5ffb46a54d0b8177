package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// wantedGate is what clients are to be allowed with the engine as it is now.
func (e *engine) wantedGate() ha.Gate {
	w := &e.driver.want
	switch {
	case e.process == primary && w.Mode == ha.Primary && w.Session == e.session:
		return w.Gate
	case e.process == standby && w.Mode == ha.Standby:
		return min(w.Gate, ha.GateReadOnly)
	case e.process == standby && w.Mode == ha.Primary && !e.obeys(closesBeforePromoting):
		return e.clients.aim
	}
	return ha.GateClosed
}

// workGate brings the gate to where it is wanted, beside any job.
func (e *engine) workGate() {
	d := &e.driver
	if to := e.wantedGate(); to != e.clients.aim && d.up && e.process >= standby {
		e.changeGate(to)
	}
}

// changeGate first changes what a new login may do, and then, if that is less,
// ends the sessions there are and counts them down to none.
func (e *engine) changeGate(to ha.Gate) {
	c := &e.clients
	c.aim = to
	c.changes++
	if !e.obeys(provesGate) {
		c.gate = min(c.gate, to)
	}
	e.gateStep(e.w.between(3*ms, 30*ms), func() {
		c.logins = to
		if to >= c.admitted {
			e.widened(to)
			return
		}
		linger := e.w.between(ms, 20*ms)
		if e.unkind().lingering && e.w.chance(8) {
			linger += e.w.between(0, 400*ms)
		}
		e.gateStep(linger, func() {
			c.cut()
			c.admitted, c.gate = to, to
			e.changed()
			e.driver.work(e)
		})
	})
}

func (e *engine) widened(to ha.Gate) {
	c := &e.clients
	c.admitted, c.gate = to, to
	if to == ha.GateOpen {
		e.opened()
	}
	e.changed()
}

// opened notes that from now on clients can read everything that was there
// when the session began, and more as it is acknowledged.
func (e *engine) opened() {
	upTo := e.data.flushed
	if e.barrier != nil {
		upTo = e.first
	}
	e.w.gateOpened(e, e.data.image(e, upTo))
}

// gateStep is one step of the newest change of the gate.
func (e *engine) gateStep(after time.Duration, f func()) {
	change := e.clients.changes
	e.w.after(after, func() { e.doGateStep(change, f) })
}

func (e *engine) doGateStep(change int, f func()) {
	d := &e.driver
	switch {
	case e.clients.changes != change, e.dying:
	case d.paused:
		d.held = append(d.held, func() { e.doGateStep(change, f) })
	case e.halted:
		e.thawed = append(e.thawed, func() { e.doGateStep(change, f) })
	default:
		f()
	}
}
