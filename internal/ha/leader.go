package ha

import "time"

// lead is what a leader keeps of its term.
type lead struct {
	term   int64
	since  time.Duration
	peers  [MaxMembers]peer
	former former

	session   Session
	opening   time.Duration // when the way to an open gate began
	promoting bool          // a primary of session is wanted
	ended     time.Duration // when the engine failed; never: it did not
	trail     [2]mark

	change change
	retry  time.Duration // no change before
	drain  drain
	tried  time.Duration // when handing over failed last

	beat time.Duration // last heartbeat
	told news
}

// mark is where the leader's log ended at some time.
type mark struct {
	At  time.Duration
	Log Log
}

// news is what a heartbeat carries that nobody should wait a beat for.
type news struct {
	Version int64
	Session Session
	Barrier bool
}

const (
	// healthLimit is the age of an answer by which a successor is healthy.
	healthLimit = 600 * ms
	// openLimit is how long the engine may take on the way to an open gate, if
	// there is a healthy successor to release to.
	openLimit = 10 * time.Second
	// openingPause is the time between heartbeats while clients wait for nothing
	// but the word that the barrier is flushed.
	openingPause = 50 * ms
	// absentLimit is how long a leader that is not open waits for a register
	// that has lost its record. Only a lease allows to repair it.
	absentLimit = 3 * time.Second
)

// takeOffice begins the term that Seen records.
func (t *turn) takeOffice() {
	t.Role = Opening
	t.leader = Source{}
	t.waiting = [MaxMembers]waiting{}
	t.campaign = campaign{}
	t.lead = lead{term: t.Seen.Term, since: t.now, opening: t.now, ended: never, retry: never, tried: never, beat: never}
	t.lead.trail = [2]mark{{At: never}, {At: never}}
	t.leadOn()
}

// stepBack ends the lead without a word: the engine is killed, and the member
// follows.
func (t *turn) stepBack() {
	if t.writes() {
		t.fencing = true
	}
	t.Role = Following
	t.lead = lead{}
	t.backoff = t.now + t.between(500*ms, 900*ms)
}

// writes tells whether the engine is, or is to be, a primary in the session of
// this leader.
func (t *turn) writes() bool {
	return t.Role.Leads() && t.lead.promoting && !t.lead.drain.stepping
}

// leadOn is a leader's turn.
func (t *turn) leadOn() {
	t.watchEngine()
	if t.Role != Opening && !t.leaseHolds() {
		t.newSession()
	}
	t.keepTrail()
	t.settleProfile()
	t.changeRule()
	switch t.Role {
	case Opening:
		t.open()
	case Serving:
		t.serve()
	case Draining:
		t.drain()
	}
	if t.Role.Leads() {
		t.speak()
	}
}

// watchEngine ends the session when its engine has ended or serves nobody.
func (t *turn) watchEngine() {
	e := t.o.Engine
	switch {
	case t.lead.drain.stepping:
	case !t.lead.promoting && e.Stuck, t.lead.promoting && (e.Stuck || e.Mode != Standby && e.Mode != Primary):
		t.fail()
	}
}

// fail notes that the engine is of no use, which is a reason to release.
func (t *turn) fail() {
	t.newSession()
	t.fencing = true
	if t.lead.ended == never {
		t.lead.ended = t.now
	}
}

// newSession kills the engine, if it is one that writes, and goes back to
// Opening. The record stays: when the others answer again, the gate opens again
// without any write to the register, unless somebody else was chosen.
func (t *turn) newSession() {
	l := &t.lead
	if l.promoting {
		t.fencing = true
	}
	t.Role = Opening
	l.opening = t.now
	l.session = Session{}
	l.promoting = false
	l.drain = drain{}
	l.trail = [2]mark{{At: never}, {At: never}}
	if l.change.step < offering {
		l.change = change{}
	}
}

// open is the way from a won term to an open gate. The first session of a
// leader that nobody answers only makes a log that diverges, so it waits a
// while for answers; but not for ever, since a new copy needs a session to
// follow.
func (t *turn) open() {
	l := &t.lead
	e := t.o.Engine
	t.readSince(t.now - lookPause)
	switch {
	case t.lost() && t.age(l.opening) > absentLimit:
		t.stepBack()
	case t.fencing:
		t.Why = EngineNotReady
	case (l.ended != never || t.o.Spec.Stopping || e.Errant) && t.release():
	case !l.promoting && !t.ready():
		t.Why = EngineNotReady
		t.giveUpWaiting()
	case !l.promoting && !t.leaseHolds() && t.age(l.opening) < t.timings().Lost:
		t.Why = WaitingForLease
	case !l.promoting:
		t.Promotions++
		l.session = Session{l.term, t.Promotions}
		l.promoting = true
		l.ended = never
		t.Why = WaitingForPromotion
	case !t.inSession() || !e.Rule.Equal(t.engineRule()):
		t.Why = WaitingForPromotion
		t.giveUpWaiting()
	case !t.leaseHolds():
		t.Why = WaitingForLease
	case !t.flushedUnderAll(e.Barrier):
		t.Why = WaitingForAcknowledger
	case t.o.Spec.Block && t.o.Spec.Members > 1 && len(t.Seen.Members) == 1:
		t.Why = WaitingForSecondCopy
	default:
		t.Role = Serving
		t.Why = Well
	}
}

// giveUpWaiting treats an engine that does not get ready as one that failed, if
// another member could do better.
func (t *turn) giveUpWaiting() {
	if t.age(t.lead.opening) > openLimit && t.successor(MaxMembers) >= 0 {
		t.fail()
	}
}

// wantedPrimary is the engine of a leader. The guardian's time runs while
// clients may be in: in Opening the gate was closed before the first write.
func (t *turn) wantedPrimary() Want {
	w := Want{Mode: Primary, Session: t.lead.session, Rule: t.engineRule(), Until: Forever}
	if t.Role != Opening {
		w.Until = t.leaseEnd()
	}
	if t.Role == Serving {
		w.Gate = GateOpen
	}
	return w
}

// keepTrail remembers where the log ended one to two seconds ago.
func (t *turn) keepTrail() {
	l := &t.lead
	if !l.promoting || t.o.Engine.Mode != Primary || t.o.Engine.Barrier == nil {
		return
	}
	if t.age(l.trail[1].At) >= time.Second {
		l.trail[0] = l.trail[1]
		l.trail[1] = mark{t.now, t.o.Engine.Position.Log}
	}
	if l.trail[0].Log == nil {
		l.trail[0] = mark{t.now, t.o.Engine.Barrier}
	}
}

// speak sends heartbeats, at once where there is news.
func (t *turn) speak() {
	l := &t.lead
	e := t.o.Engine
	h := Heartbeat{Record: t.Seen, Sent: t.now, Boots: t.Boots}
	if l.promoting && e.Mode == Primary && e.Session == l.session {
		h.Session, h.Binding, h.Barrier = e.Session, e.Binding, e.Barrier
	}
	now, pause := news{t.Seen.Version, h.Session, h.Barrier != nil}, t.timings().Heartbeat
	if t.Role == Opening && now.Barrier {
		pause = openingPause
	}
	if now == l.told && t.age(l.beat) < pause {
		return
	}
	l.told, l.beat = now, t.now
	for i := range MaxMembers {
		if i != t.Ordinal {
			h.Out = t.isOut(l.peers[i].UID)
			t.send(i, h)
		}
	}
}

// isOut tells whether a member is in no rule, neither the recorded one nor one
// that is being tried.
func (t *turn) isOut(uid string) bool {
	return uid != "" && !t.Seen.Names(uid) && !t.Pending.Names(uid) && !t.lead.change.To.Names(uid)
}
