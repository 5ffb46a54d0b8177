package ha

import "time"

// drain is a clean step down that is under way.
type drain struct {
	target   string
	began    time.Duration // of the step
	end      Log           // of the own log, when no client could write any more
	stepping bool          // the engine is being made a standby
}

const (
	targetLimit = 500 * ms         // age of the target's last answer
	drainPause  = 30 * time.Second // after one that failed
	drainLimit  = 2 * time.Second  // for the target to hold everything, and again for the engine to step down
)

// serve is the turn of a leader with an open gate.
func (t *turn) serve() {
	t.Why = Well
	t.lookAgain()
	if t.tooManyDiverged() {
		t.newSession() // lets them out behind a closed gate
		return
	}
	if target := t.heir(); target >= 0 {
		t.beginDrain(target)
	}
}

// heir is the ordinal that the lead is to go to, -1 if it is to stay.
func (t *turn) heir() int {
	s := t.o.Spec.Switchover
	switch {
	case len(t.Seen.Members) == 1:
		return -1
	case t.o.Spec.Stopping:
		return t.successor(MaxMembers)
	case t.Ordinal >= t.o.Spec.Members:
		return t.successor(t.o.Spec.Members)
	case s.Term != t.lead.term || t.lead.tried != never || s.Target == t.Ordinal:
		return -1
	case s.Target >= 0 && s.Target < MaxMembers:
		return s.Target
	default:
		return t.successor(t.o.Spec.Members)
	}
}

// beginDrain starts a step down that can be expected to succeed.
func (t *turn) beginDrain(target int) {
	p := &t.lead.peers[target]
	switch {
	case !t.Seen.Names(p.UID) || t.age(p.Acked) > targetLimit || p.Current == never:
	case t.age(t.lead.tried) < drainPause:
	case t.lead.change.Purpose != "" || t.Pending.Version > 0 || t.now < t.lead.retry:
	case !t.fresh(time.Second) || t.lost():
	default:
		t.Role = Draining
		t.Why = HandingOver
		t.lead.drain = drain{target: p.UID, began: t.now}
	}
}

// drain shuts the gate, waits until the target holds everything, steps down and
// releases. The engine is given up before the record is, never after. Until the
// engine steps down, all can be taken back.
func (t *turn) drain() {
	d := &t.lead.drain
	switch {
	case d.stepping && t.age(d.began) > drainLimit:
		t.lead.tried = t.now
		t.newSession()
		t.fencing = true
	case d.stepping && (t.gone() || t.o.Engine.Mode == Standby):
		t.handOver(d.target)
	case d.stepping:
	case t.age(d.began) > drainLimit:
		t.lead.tried = t.now
		t.lead.retry = t.now + changePace
		t.lead.drain = drain{}
		t.Role = Serving
	case t.Want.Gate != GateClosed || t.o.Engine.Gate != GateClosed:
	case d.end == nil:
		d.end = t.o.Engine.Position.Log
	default:
		if p := t.lead.of(d.target); p != nil && p.Position.Holds(t.lead.session, d.end) {
			d.stepping, d.began = true, t.now
		}
	}
}

// release gives the record to a healthy member instead of waiting for an engine
// that failed. A read that began after the loss must say that it is still this
// leader's to give.
func (t *turn) release() bool {
	l := &t.lead
	best := t.successor(MaxMembers)
	if best < 0 || l.change.Purpose != "" || t.Pending.Version > 0 {
		return false
	}
	if !t.readSince(max(l.ended, l.opening)) || t.lost() {
		return false
	}
	if l.promoting || t.o.Engine.Mode == Primary {
		t.newSession()
		t.fencing = true
		return true
	}
	t.handOver(l.peers[best].UID)
	return true
}

// handOver tells everybody that this term is over. The engine has been given up.
func (t *turn) handOver(to string) {
	t.broadcast(Release{Record: t.Seen, Preferred: to})
	t.Role = Following
	t.Why = WaitingForLeader
	t.released = t.Seen.Term
	t.backoff = t.now + t.between(1000*ms, 1500*ms)
	t.lead = lead{}
}
