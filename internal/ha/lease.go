package ha

import "time"

// leaseUnder is when the lease of a rule began: the time at which the heartbeat
// was sent that enough members of it have answered. Times of sending count, so
// a slow answer makes no lease longer. A rule of one needs nobody.
func (t *turn) leaseUnder(r Rule) time.Duration {
	if r.Acks <= 1 {
		return t.now
	}
	var newest [MaxMembers]time.Duration // sorted, newest first
	n := 0
	for i := range t.lead.peers {
		p := &t.lead.peers[i]
		if !r.Names(p.UID) {
			continue
		}
		j := n
		for ; j > 0 && newest[j-1] < p.Acked; j-- {
			newest[j] = newest[j-1]
		}
		newest[j] = p.Acked
		n++
	}
	if n < r.Acks-1 {
		return never
	}
	return newest[r.Acks-2]
}

// leaseBegan is the same under every rule that may be in force: while a record
// is on the way to the register, that is the recorded one and the new one.
func (t *turn) leaseBegan() time.Duration {
	began := t.leaseUnder(t.Seen.Rule)
	if t.Pending.Version > 0 {
		began = min(began, t.leaseUnder(t.Pending.Rule))
	}
	return began
}

// leaseHolds tells whether enough members have answered lately that no other
// can have been chosen. It is asked at every turn that opens or records.
func (t *turn) leaseHolds() bool { return t.age(t.leaseBegan()) <= t.timings().Fence }

// leaseEnd is when the guardian kills the engine if it hears nothing more. A
// rule of one has no end.
func (t *turn) leaseEnd() time.Duration {
	if t.Seen.Acks <= 1 && t.Pending.Acks <= 1 {
		return Forever
	}
	return t.leaseBegan() + t.timings().Fence
}

// flushedUnder tells whether as many members as the rule asks for have flushed
// the session's log up to mark.
func (t *turn) flushedUnder(r Rule, mark Log) bool {
	n := 0
	if r.Names(t.UID) && t.o.Engine.Position.Holds(t.lead.session, mark) {
		n++
	}
	for i := range t.lead.peers {
		p := &t.lead.peers[i]
		if r.Names(p.UID) && !t.diverged(p) && p.Position.Holds(t.lead.session, mark) {
			n++
		}
	}
	return n >= r.Acks
}

// flushedUnderAll is the same under every rule that may be in force.
func (t *turn) flushedUnderAll(mark Log) bool {
	return t.flushedUnder(t.Seen.Rule, mark) && (t.Pending.Version == 0 || t.flushedUnder(t.Pending.Rule, mark))
}
