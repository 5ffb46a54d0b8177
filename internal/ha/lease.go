package ha

import (
	"fmt"
	"strings"
	"time"
)

// Answer is the newest heartbeat that a member has accepted, by when it was
// sent. The zero Answer is nobody's.
type Answer struct {
	UID  string
	Sent time.Duration
}

// Lease is a leader's right to serve, under one rule, as far as the others'
// answers go.
type Lease struct {
	Rule    Rule
	Now     time.Duration
	Answers [MaxMembers]Answer
}

// Began is when the heartbeat was sent that enough members of the rule have
// answered. Times of sending count, so that a slow answer makes no lease
// longer. A rule of one needs nobody's: its lease began now. Without enough
// answers it never began.
func (l Lease) Began() time.Duration {
	if l.Rule.Acks <= 1 {
		return l.Now
	}
	var newest [MaxMembers]time.Duration // sorted, the newest first
	n := 0
	for _, a := range l.Answers {
		if !l.Rule.Names(a.UID) {
			continue
		}
		i := n
		for ; i > 0 && newest[i-1] < a.Sent; i-- {
			newest[i] = newest[i-1]
		}
		newest[i] = a.Sent
		n++
	}
	if n < l.Rule.Acks-1 {
		return never
	}
	return newest[l.Rule.Acks-2]
}

// String draws the lease for test output, a line for each answer, the one that
// decides with an arrow:
//
//	2 of [a b c] at 5s
//	  b  4.75s  250ms ago  <- the lease began
//	  c  2s  3s ago
func (l Lease) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%v at %v\n", l.Rule, l.Now)
	for _, a := range l.Answers {
		if a.UID == "" {
			continue
		}
		note := ""
		switch {
		case !l.Rule.Names(a.UID):
			note = "  not in the rule"
		case l.Rule.Acks > 1 && a.Sent == l.Began():
			note = "  <- the lease began"
		}
		fmt.Fprintf(&out, "  %s  %v  %v ago%s\n", a.UID, a.Sent, l.Now-a.Sent, note)
	}
	return out.String()
}

// leaseUnder is when the lease of a rule began.
func (t *turn) leaseUnder(r Rule) time.Duration {
	l := Lease{Rule: r, Now: t.now}
	for i := range t.lead.peers {
		l.Answers[i] = Answer{t.lead.peers[i].UID, t.lead.peers[i].Acked}
	}
	return l.Began()
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
