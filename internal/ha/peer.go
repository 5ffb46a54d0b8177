package ha

import "time"

// peer is what a leader knows of the member behind one ordinal. The record has
// uids, so a member is found by who answers.
type peer struct {
	UID      string
	Heard    time.Duration // its last answer of any kind
	Acked    time.Duration // newest heartbeat it accepted, by when that was sent
	Seen     int64
	Floor    int64
	Fit      bool
	Diverged Session
	Position Position
	Current  time.Duration // since when it keeps up; never: it does not
	Behind   time.Duration // since when it does not; never: it does
}

// at is the entry for this ordinal, made anew when another member is behind it.
func (l *lead) at(from Identity) *peer {
	p := &l.peers[from.Ordinal]
	if p.UID != from.UID {
		*p = peer{UID: from.UID, Heard: never, Acked: never, Current: never, Behind: never}
	}
	return p
}

// of is the entry of a member, nil if nobody of that uid has answered.
func (l *lead) of(uid string) *peer {
	for i := range l.peers {
		if l.peers[i].UID == uid {
			return &l.peers[i]
		}
	}
	return nil
}

func (l *lead) forgetAnswers() {
	for i := range l.peers {
		l.peers[i].Acked = never
	}
}

// hearAck counts an answer to a heartbeat of this very process and term. Of
// answers that overtake each other only the newest tells about the member.
func (t *turn) hearAck(from Identity, a Ack) {
	if !t.Role.Leads() || a.Boot != t.Boot || a.Term != t.lead.term || a.Sent > t.now {
		return
	}
	p := t.lead.at(from)
	p.Heard = t.now
	if a.Sent < p.Acked {
		return
	}
	p.Acked = a.Sent
	p.Seen, p.Floor, p.Fit, p.Diverged, p.Position = a.Seen, a.Floor, a.Fit, a.Diverged, a.Position
	t.judge(p)
}

// judge tells whether a member keeps up: it has flushed all that the leader
// had one to two seconds ago.
func (t *turn) judge(p *peer) {
	if p.Fit && !t.diverged(p) && p.Position.Holds(t.lead.session, t.lead.trail[0].Log) {
		p.Behind = never
		if p.Current == never {
			p.Current = t.now
		}
		return
	}
	p.Current = never
	if p.Behind == never {
		p.Behind = t.now
	}
}

// diverged tells whether the member cannot continue the leader's session.
func (t *turn) diverged(p *peer) bool {
	return p.Diverged != Session{} && p.Diverged == t.lead.session
}

// answers tells whether the member has accepted a heartbeat lately enough to be
// counted on.
func (t *turn) answers(p *peer) bool { return t.age(p.Acked) <= t.timings().Fence }

// silence is how long nothing was heard of a member of the rule.
func (t *turn) silence(uid string) time.Duration {
	if p := t.lead.of(uid); p != nil && p.Heard > t.lead.since {
		return t.age(p.Heard)
	}
	return t.age(t.lead.since)
}

// hearRefuse learns what the other knows. A leader notes the promise that made
// it refuse.
func (t *turn) hearRefuse(from Identity, r Refuse) {
	t.learn(r.Seen)
	if t.Role.Leads() {
		p := t.lead.at(from)
		p.Heard = t.now
		p.Floor = r.Floor
	}
}

// successor is the ordinal of the healthy member of the rule that holds most,
// -1 if there is none below limit.
func (t *turn) successor(limit int) int {
	best := -1
	for i := range min(limit, MaxMembers) {
		p := &t.lead.peers[i]
		if !t.Seen.Names(p.UID) || t.age(p.Acked) > healthLimit || !p.Fit || t.diverged(p) {
			continue
		}
		if best < 0 || p.Position.Compare(t.lead.peers[best].Position) == Ahead {
			best = i
		}
	}
	return best
}
