package ha

// growAfter is how long a learner must keep up before it is counted.
const growAfter = 800 * ms

// plan is the next change of the record, if one is due: first what makes the
// leader's word count, then who must go, then who may come, and only then who
// is not wanted any more.
func (t *turn) plan() (Purpose, Record) {
	if t.lost() {
		if t.mayRepair() {
			return Repair, t.repaired()
		}
		return "", Record{}
	}
	next := t.Seen.Next(t.Seen.Rule)
	if floor := t.highestFloor(); floor > t.Seen.Version {
		next.Version = max(next.Version, floor)
		return Bump, next
	}
	if purpose, rule := t.narrower(lagging); purpose != "" {
		return purpose, t.Seen.Next(rule)
	}
	if purpose, rule := t.wider(); purpose != "" {
		return purpose, t.Seen.Next(rule)
	}
	if t.Role != Serving {
		return "", Record{}
	}
	if purpose, rule := t.narrower(unwanted); purpose != "" {
		return purpose, t.Seen.Next(rule)
	}
	if t.o.Spec.Profile != "" && t.o.Spec.Profile != t.Seen.Profile {
		next.Profile = t.o.Spec.Profile
		return Retime, next
	}
	return "", Record{}
}

// highestFloor is the highest promise that a member which answers has told.
func (t *turn) highestFloor() int64 {
	floor := t.Floor
	for i := range t.lead.peers {
		if p := &t.lead.peers[i]; t.age(p.Heard) <= t.timings().Lost {
			floor = max(floor, p.Floor)
		}
	}
	return floor
}

// mayRepair tells whether this leader knows that no newer record was lost: since
// it began to read, enough members have followed it, which they would not have
// after helping to choose another. Its lease alone does not tell: a clock can
// stand still.
func (t *turn) mayRepair() bool {
	return t.Role == Serving && t.leaseBegan() >= t.view.Began && !t.view.Missing
}

// repaired is the present record with a version above all that was tried or
// promised.
func (t *turn) repaired() Record {
	r := t.Seen
	r.Version = max(t.Seen.Version, t.Pending.Version, t.highestFloor()) + 1
	return r
}

// narrower is a rule with a member less, or with the leader alone, where a fault
// of that weight or more calls for one. Nobody is dropped whose loss would leave
// too few that answer.
func (t *turn) narrower(least fault) (Purpose, Rule) {
	if len(t.Seen.Members) == 1 {
		return "", Rule{}
	}
	if t.onlyLeaderHoldsAll() {
		return Alone, RuleOf(t.UID)
	}
	if len(t.Seen.Members) == 2 {
		return t.narrowerThanTwo(least)
	}
	purpose, rule, weight := Purpose(""), Rule{}, least-1
	for _, uid := range t.Seen.Members {
		if uid == t.UID || t.fault(uid) <= weight {
			continue
		}
		if r := t.Seen.Without(uid); t.supporters(r) >= r.Acks {
			purpose, rule, weight = Shrink, r, t.fault(uid)
		}
	}
	return purpose, rule
}

// narrowerThanTwo goes down to a single copy, which is the user's to allow, and
// which must be one that can serve.
func (t *turn) narrowerThanTwo(least fault) (Purpose, Rule) {
	if !t.able() || t.o.Spec.Block && t.o.Spec.Members > 1 {
		return "", Rule{}
	}
	for _, uid := range t.Seen.Members {
		if uid == t.UID {
			continue
		}
		if f := t.fault(uid); f >= least && f != diverging {
			return Degrade, RuleOf(t.UID)
		}
	}
	return "", Rule{}
}

// able tells whether this leader's engine can serve, or does.
func (t *turn) able() bool { return t.ready() || t.inSession() }

// fault is why a member is to leave the rule, the weightiest last.
type fault int

const (
	sound fault = iota
	unwanted
	lagging
	diverging
	silent
)

// fault of a member. Where the rule without it is a weaker one, silence counts
// as soon as the lease is in danger.
func (t *turn) fault(uid string) fault {
	limits := t.timings()
	limit := limits.Lost
	if t.Seen.oneLessIsWeaker() && t.age(t.leaseBegan()) >= limits.Weaken {
		limit = limits.Weaken
	}
	p := t.lead.of(uid)
	switch {
	case t.silence(uid) >= limit:
		return silent
	case p == nil:
		return sound
	case t.diverged(p):
		return diverging
	case p.Behind != never && t.age(p.Behind) >= limits.Lag:
		return lagging
	case t.ordinalOf(uid) >= t.o.Spec.Members:
		return unwanted
	}
	return sound
}

// ordinalOf a member that has answered, -1 if it has not.
func (t *turn) ordinalOf(uid string) int {
	if uid == t.UID {
		return t.Ordinal
	}
	for i := range t.lead.peers {
		if t.lead.peers[i].UID == uid {
			return i
		}
	}
	return -1
}

// supporters counts the members of a rule that answer and follow, this one
// included.
func (t *turn) supporters(r Rule) int {
	n := 1
	for i := range t.lead.peers {
		if p := &t.lead.peers[i]; r.Names(p.UID) && t.answers(p) && p.Fit && !t.diverged(p) {
			n++
		}
	}
	return n
}

// onlyLeaderHoldsAll tells whether enough members answer, but too many of them
// have diverged from the session that the leader has begun. They cannot come
// back while the rule names them, so the leader goes on alone and lets them out.
func (t *turn) onlyLeaderHoldsAll() bool {
	if !t.inSession() {
		return false
	}
	answering, undiverged := 1, 1
	for i := range t.lead.peers {
		p := &t.lead.peers[i]
		if !t.Seen.Names(p.UID) || !t.answers(p) {
			continue
		}
		answering++
		if !t.diverged(p) {
			undiverged++
		}
	}
	if answering < t.Seen.Acks || undiverged >= t.Seen.Acks {
		return false
	}
	return t.Role == Opening || t.Role == Serving && !t.o.Spec.Block && undiverged == 1
}

// newcomer is a learner that is to be counted, empty if there is none. It must
// have answered the heartbeat before last: a member that was dropped a moment
// ago still has the best of answers, and trying it would stop all commits.
func (t *turn) newcomer() string {
	if !t.inSession() {
		return ""
	}
	recent := 2 * t.timings().Heartbeat
	for i := range t.lead.peers {
		p := &t.lead.peers[i]
		if p.UID == "" || t.Seen.Names(p.UID) || t.age(p.Acked) > recent || p.Current == never || t.age(p.Current) < growAfter {
			continue
		}
		if i < t.o.Spec.Members {
			return p.UID
		}
	}
	return ""
}

// wider is a rule with a member more, or with a learner in the place of a
// member that is lost. That is the way on for a leader that has lost too many:
// it holds everything, so what it proves to be on a new copy is safe there.
func (t *turn) wider() (Purpose, Rule) {
	uid := t.newcomer()
	if uid == "" {
		return "", Rule{}
	}
	if t.hasRoom() {
		return Grow, t.Seen.With(uid)
	}
	for _, m := range t.Seen.Members {
		if m != t.UID && t.silence(m) >= t.timings().Lost {
			return Replace, t.Seen.Without(m).With(uid)
		}
	}
	return "", Rule{}
}

// hasRoom tells whether fewer members are counted than are wanted.
func (t *turn) hasRoom() bool {
	wanted := 0
	for _, m := range t.Seen.Members {
		if t.ordinalOf(m) < t.o.Spec.Members {
			wanted++
		}
	}
	return wanted < t.o.Spec.Members && len(t.Seen.Members) < MaxMembers
}

// tooManyDiverged tells whether enough members of the rule answer, but so many
// of them have diverged, for a while, that the others are too few. None of them
// can be let out then, one at a time; only a leader that begins a new session
// can.
func (t *turn) tooManyDiverged() bool {
	lost := t.timings().Lost
	answering, undiverged := 1, 1
	for i := range t.lead.peers {
		p := &t.lead.peers[i]
		if !t.Seen.Names(p.UID) || t.age(p.Heard) >= lost {
			continue
		}
		answering++
		if !t.diverged(p) || p.Behind == never || t.age(p.Behind) < lost {
			undiverged++
		}
	}
	return answering >= t.Seen.Acks && undiverged < t.Seen.Acks
}
