package ha

import "time"

// soloWait is how long the register may be silent after a start before a member
// alone in its rule goes on without it.
const soloWait = 4 * time.Second

// bootstrap is the turn of a member that knows of no record. It may write the
// first one only if the operator's mark names it, which is made once, for a
// Database that was never initialised, or if it has offered it before. An empty
// volume never leads by itself.
func (t *turn) bootstrap() Reason {
	first := t.Pending // the very same, if it was offered before
	switch {
	case !t.fresh(lookPause):
		return WaitingForRegister
	case t.view.Missing:
		return RegisterMissing
	case t.view.Bootstrap != t.Ordinal+1 && first.Version == 0:
		return NotBootstrapped
	case !t.ready():
		return EngineNotReady
	}
	if first.Version == 0 {
		first = First(t.UID, t.o.Spec.Profile)
	}
	t.Role = Claiming
	t.campaign = campaign{base: t.view, record: first}
	t.offerClaim()
	return WaitingForClaim
}

// mayResume tells whether this member may lead the term that it was recorded
// for without another write. Where it is the whole rule and the recorded
// leader, nobody else can have been chosen; so it needs the register only to
// say that this is still so, or to be silent ever since the start.
func (t *turn) mayResume() bool {
	if !t.Seen.Alone(t.UID) || t.Seen.Leader != t.UID || t.Pending.Version != 0 {
		return false
	}
	if !t.answered {
		t.fresh(lookPause)
		return t.age(t.started) >= soloWait
	}
	return t.fresh(baseLimit) && !t.lost()
}
