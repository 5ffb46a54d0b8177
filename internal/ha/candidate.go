package ha

import (
	"slices"
	"time"
)

// campaign is one attempt to become the leader.
type campaign struct {
	base     view  // read before anybody was asked
	seen     int64 // version of the newest record then
	began    time.Duration
	asked    time.Duration
	handover bool     // the leader has released the record
	rebuild  bool     // the register has lost the record
	heard    bool     // another member has said a word since it began
	joins    []joined // never changed in place
	record   Record   // claimed
	offered  time.Duration
}

// joined is what a member answered that joined.
type joined struct {
	UID string
	Join
}

const (
	baseLimit     = 400 * ms  // age of the read that a candidacy is based on
	campaignLimit = 1200 * ms // for all to join
	askPause      = 200 * ms
	silenceLimit  = 300 * ms // to call the other one of two silent
	lookPause     = time.Second
)

// stand is a follower's turn: it watches for the moment to become a candidate.
func (t *turn) stand() {
	if t.Pending.Version > 0 && !t.Void {
		t.readSince(t.now - fatePause)
	}
	switch {
	case t.Seen.Version == 0:
		t.Why = t.bootstrap()
	case !t.Seen.Names(t.UID):
		t.Why = NotInRule
		if t.age(t.contact) > t.timings().Withhold {
			t.fresh(lookPause)
		}
	case t.led():
		t.Why = Well
		if t.leader.Session == (Session{}) {
			t.Why = WaitingForLeader
		}
	case !t.ready() || t.o.Spec.Stopping:
		t.Why = EngineNotReady
	case t.mayResume():
		t.takeOffice()
	case t.now < t.backoff:
		t.Why = BackingOff
	case !t.fresh(baseLimit):
		t.Why = WaitingForRegister
	case t.view.Missing:
		t.Why = RegisterMissing
	default:
		t.Role = Recruiting
		t.campaign = campaign{
			base: t.view, seen: t.Seen.Version, began: t.now, asked: never,
			handover: t.released == t.Seen.Term, rebuild: t.lost(),
		}
		t.recruit()
	}
}

// led tells whether a leader may be there that this member must give time to.
func (t *turn) led() bool {
	if t.Seen.Alone(t.UID) {
		return false // nobody else can lead this rule
	}
	return t.withholds() || t.released != t.Seen.Term && t.age(t.termLearned) <= t.timings().Withhold/2
}

// recruit gathers enough members that, together, they hold every acknowledged
// write and can give the old leader no acknowledgement any more.
func (t *turn) recruit() {
	c := &t.campaign
	switch {
	case t.age(c.began) > campaignLimit, !t.ready(), t.o.Spec.Stopping:
		t.retire(t.between(100*ms, 300*ms))
		return
	case c.seen != t.Seen.Version:
		t.retire(0)
		return
	}
	if t.age(c.asked) >= askPause {
		c.asked = t.now
		t.broadcast(Recruit{Base: t.Seen, Position: t.o.Engine.Position, Rebuild: c.rebuild, Handover: c.handover})
	}
	if !t.recruited() {
		t.Why = WaitingForMembers
		return
	}
	t.promise(t.Seen)
	if !t.frozen() {
		t.Why = EngineNotReady
		return
	}
	if !t.best() || t.awaitsTheOther() {
		return
	}
	c.record = t.claimed()
	t.Role = Claiming
	t.offerClaim()
	t.claim()
}

// retire ends a candidacy. It leaves no trace but floors.
func (t *turn) retire(pause time.Duration) {
	t.Role = Following
	t.backoff = t.now + pause
}

// hearJoin counts an answer to this very campaign.
func (t *turn) hearJoin(from Identity, j Join) {
	t.learn(j.Seen)
	if t.Role == Recruiting && j.Base == t.Seen.Version {
		others := slices.DeleteFunc(slices.Clone(t.campaign.joins), func(o joined) bool { return o.UID == from.UID })
		t.campaign.joins = append(others, joined{from.UID, j})
	}
}

// recruited tells whether enough members of the rule have joined, this one
// included. Where the register has lost its record, any member may know a newer
// one, so all of them must. Of a rule that was only tried, so many must that the
// others are too few to have chosen anybody by it: who tried it has joined, and
// has done nothing by it since.
func (t *turn) recruited() bool {
	c := &t.campaign
	if t.forced() {
		return true
	}
	holders := 1
	for _, j := range c.joins {
		if t.holds(j) {
			holders++
		}
	}
	if c.rebuild {
		for _, j := range c.joins {
			if t.missing(j.Pending.Rule) >= j.Pending.Recruits() {
				return false
			}
		}
		if t.missing(t.Seen.Rule) > 0 || t.missing(t.Pending.Rule) >= t.Pending.Recruits() {
			return false
		}
	}
	return holders >= t.Seen.Recruits()
}

// holds tells whether a member that joined counts as one that may hold what was
// acknowledged: the rule names it, and its log is known and nobody's but the
// leaders'.
func (t *turn) holds(j joined) bool {
	return t.Seen.Names(j.UID) && j.Position.Known() && !j.Errant
}

// missing counts the members of a rule that have not joined.
func (t *turn) missing(r Rule) int {
	n := 0
	for _, uid := range r.Members {
		if uid != t.UID && !t.hasJoined(uid) {
			n++
		}
	}
	return n
}

func (t *turn) hasJoined(uid string) bool {
	for _, j := range t.campaign.joins {
		if j.UID == uid {
			return true
		}
	}
	return false
}

// best tells whether no member of the rule that joined holds more. A learner
// that holds more is no reason to yield: it cannot lead.
func (t *turn) best() bool {
	for _, j := range t.campaign.joins {
		if !t.holds(j) {
			continue
		}
		switch t.o.Engine.Position.Compare(j.Position) {
		case Behind:
			t.retire(t.between(1000*ms, 2500*ms))
			t.Why = BackingOff
			return false
		case Diverged, Unknown:
			t.Why = PositionsNotOrdered
			return false
		}
	}
	return true
}

// forced tells whether a person has said that the missing members are off, and
// that what only they hold is given up.
func (t *turn) forced() bool { return t.o.Spec.Force != 0 && t.o.Spec.Force == t.Seen.Version }
