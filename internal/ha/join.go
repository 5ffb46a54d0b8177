package ha

// hearRecruit joins a candidate, or says why not. Joining is a promise to
// follow no leader up to the candidate's base; after it the member freezes,
// looks how far its log reaches, and only then answers.
func (t *turn) hearRecruit(from Identity, r Recruit) {
	t.learn(r.Base)
	switch {
	case !r.Base.Equal(t.Seen):
		t.refuse(from.Ordinal)
		return
	case !r.Base.Names(t.UID) && !r.Rebuild:
		t.refuse(from.Ordinal)
		return
	case t.Role.Leads() && t.leaseHolds():
		t.refuse(from.Ordinal)
		return
	case t.Role.Leads():
		t.stepBack() // it joins on a later request, when its engine is dead
		return
	case t.withholds() && !r.Handover:
		t.refuse(from.Ordinal)
		return
	}
	t.promise(r.Base)
	t.waiting[from.Ordinal] = waiting{r.Base.Version, r.Rebuild}
	t.standBack(r.Position)
}

// promise follows no leader of base, or of anything before it, any more. The
// engine freezes, and stays so until a leader is accepted.
func (t *turn) promise(base Record) {
	t.Floor = max(t.Floor, base.Version+1)
	t.leader = Source{}
}

// standBack lets the better of two candidates go first.
func (t *turn) standBack(theirs Position) {
	if t.Role == Claiming {
		return
	}
	switch t.o.Engine.Position.Compare(theirs) {
	case Ahead:
		t.backoff = min(t.backoff, t.now+t.between(20*ms, 80*ms))
	case Behind:
		t.Role = Following
		t.backoff = t.now + t.between(500*ms, 900*ms)
	}
}

// waiting is an ordinal that is to have a Join.
type waiting struct {
	Base    int64 // version; 0: it is not
	Rebuild bool
}

// join sends the answers that waited for the freeze. A candidate that must fill
// a lost register is told what this member knows even if it holds nothing.
func (t *turn) join() {
	if t.waiting == [MaxMembers]waiting{} || t.Role.Leads() {
		return
	}
	j := Join{Base: t.Seen.Version, Seen: t.Seen, Pending: t.Pending, Floor: t.Floor, Errant: t.o.Engine.Errant}
	if t.frozen() {
		j.Position = t.o.Engine.Position
	}
	for i, w := range t.waiting {
		if w.Base == 0 || w.Base != t.Seen.Version {
			t.waiting[i] = waiting{}
		} else if j.Position.Known() || w.Rebuild && t.still() {
			t.waiting[i] = waiting{}
			t.send(i, j)
		}
	}
}
