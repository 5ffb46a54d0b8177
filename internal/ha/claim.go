package ha

// claimed is the record that the campaign offers: the next version and term of
// the rule that was recruited from.
func (t *turn) claimed() Record {
	c := &t.campaign
	r := t.Seen.Claim(t.UID)
	if t.forced() || t.degrades() && !c.heard {
		r.Rule = RuleOf(t.UID)
	}
	if c.rebuild {
		newest := max(t.Seen.Version, t.Pending.Version, t.Floor)
		term := max(t.Seen.Term, t.Pending.Term)
		for _, j := range c.joins {
			newest = max(newest, j.Seen.Version, j.Pending.Version, j.Floor)
			term = max(term, j.Seen.Term, j.Pending.Term)
		}
		r.Version, r.Term = newest+1, term+1
	}
	return r
}

// degrades tells whether one of two members may go on alone.
func (t *turn) degrades() bool {
	c := &t.campaign
	return len(t.Seen.Members) == 2 && !t.o.Spec.Block && !c.handover && !c.rebuild
}

// awaitsTheOther gives the other one of two a moment to say a word. If it says
// none, the claim may at once be one for a rule without it.
func (t *turn) awaitsTheOther() bool {
	c := &t.campaign
	return t.degrades() && !c.heard && t.age(c.began) < silenceLimit
}

func (t *turn) offerClaim() {
	t.campaign.offered = t.now
	t.offer(t.campaign.record, t.campaign.base.Object)
}

// claim waits for the fate of the record that was offered. It may be offered
// again while the very object stands there that was read before recruiting, and
// nothing else may be.
func (t *turn) claim() {
	c := &t.campaign
	t.Why = WaitingForClaim
	switch {
	case t.Seen.Equal(c.record) && c.record.Leader == t.UID:
		t.takeOffice()
	case t.Seen.Version >= c.record.Version:
		t.retire(0)
	case t.writing.ID != 0:
	case !t.readSince(c.offered):
	case t.view.Missing || t.view.Object != c.base.Object:
		t.retire(0)
	default:
		t.offerClaim()
	}
}
