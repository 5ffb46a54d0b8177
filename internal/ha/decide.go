package ha

import "time"

// Decide is the protocol. It is pure: the same state and observation give the
// same answer, and neither is changed. It is called on every event and at least
// every 50 ms, and never blocks.
//
// What it hears comes first, then what it does in its role, then the answers
// that waited for the engine; the wish for the engine follows from all of it.
func Decide(s State, o Observation) (State, []Action) {
	t := turn{State: s, o: o, now: o.Now}
	t.take()
	return t.State, t.actions
}

// turn is one call of Decide: a copy of the state, changed as it goes.
type turn struct {
	State
	o       Observation
	now     time.Duration
	actions []Action
}

func (t *turn) take() {
	if t.fencing && t.Want.Mode == Down && t.gone() {
		t.fencing = false
	}
	if t.o.Suspended {
		t.lead.forgetAnswers()
	}
	if !t.trusted() {
		t.Want = Want{Mode: Down}
		return
	}
	if !t.placed() {
		t.Want = Want{Mode: Standby}
		return
	}
	if t.o.Look {
		t.look = t.now
	}
	t.hearRegister()
	t.hearMessage()
	if t.suspect {
		t.Want = Want{Mode: Down}
		return
	}
	switch {
	case t.Role.Leads():
		t.leadOn()
	case t.Role == Recruiting:
		t.recruit()
	case t.Role == Claiming:
		t.claim()
	default:
		t.stand()
	}
	t.join()
	t.Want = t.wanted()
}

// wanted is what the engine is to be, as it follows from the role.
func (t *turn) wanted() Want {
	if t.o.Engine.Mode == Primary && !t.writes() && !t.lead.drain.stepping {
		t.fencing = true
	}
	switch {
	case t.fencing:
		return Want{Mode: Down}
	case t.writes():
		return t.wantedPrimary()
	case t.Role.Leads():
		return Want{Mode: Standby}
	default:
		return t.wantedStandby()
	}
}

// gone tells that no process of the engine is left.
func (t *turn) gone() bool { return t.o.Engine.Mode == Down || t.o.Engine.Mode == Vacant }

// ready tells that the engine is a standby in good health that knows what it
// holds and has nothing of its own. To the only member there is, or is to be,
// what it holds is the data, whoever wrote it.
func (t *turn) ready() bool {
	e := t.o.Engine
	only := t.Seen.Alone(t.UID) || t.Seen.Version == 0
	return e.Mode == Standby && e.Position.Known() && !e.Stuck && (!e.Errant || only)
}

// frozen tells that the engine's log cannot grow and that its position is known,
// so that it is final.
func (t *turn) frozen() bool {
	return t.o.Engine.Mode == Standby && t.o.Engine.Position.Known() && t.still()
}

// still tells that nothing can be added to the engine's log. A wish of this very
// turn proves nothing yet.
func (t *turn) still() bool {
	if t.Want.Mode != Standby || t.Want.Source != (Source{}) {
		return false
	}
	return t.o.Engine.Mode != Primary && (t.o.Engine.Mode != Standby || t.o.Engine.Frozen)
}

// age is how long ago something happened, by the member's own clock.
func (t *turn) age(at time.Duration) time.Duration { return t.now - at }

// between draws a duration, so that members do not act in step.
func (t *turn) between(from, to time.Duration) time.Duration {
	return from + time.Duration(t.o.Random%uint64(to-from))
}

func (t *turn) send(to int, b Body) { t.actions = append(t.actions, Send{to, b}) }

// broadcast goes to every ordinal that may exist: the record has uids, not
// addresses, and who answers says who it is.
func (t *turn) broadcast(b Body) {
	for i := range MaxMembers {
		if i != t.Ordinal {
			t.send(i, b)
		}
	}
}

func (t *turn) refuse(to int) { t.send(to, Refuse{t.Seen, t.Floor}) }
