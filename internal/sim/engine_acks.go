package sim

import (
	"slices"

	"github.com/myuser/db-operator/internal/ha"
)

// acks is by what an engine lets its clients' commits succeed.
type acks struct {
	count int      // acknowledgements needed, besides its own flush
	names []string // timelines: whose count. sets: who is let in as one that counts
	upTo  int64    // length of the log that is acknowledged
}

// lets tells whether a member's acknowledgements are wanted.
func (a *acks) lets(uid string) bool { return slices.Contains(a.names, uid) }

// acksOf are what a rule asks of its leader's engine.
func acksOf(r ha.Rule, leader string) acks {
	a := acks{count: max(r.Acks-1, 0)}
	if a.count > 0 {
		a.names = slices.DeleteFunc(slices.Clone(r.Members), func(m string) bool { return m == leader })
	}
	return a
}

// counts tells whether a connection's acknowledgements count. Timelines know
// the members by name; sets count whoever acknowledges.
func (e *engine) counts(c *conn) bool {
	if e.flavour == sets {
		return c.counted
	}
	return e.acks.lets(c.uid)
}

// release lets succeed what enough members have flushed.
func (e *engine) release() {
	if e.process != primary {
		return
	}
	upTo := e.data.flushed
	if e.acks.count > 0 {
		upTo = min(upTo, e.nthAcked(e.acks.count))
	}
	if upTo <= e.acks.upTo {
		return
	}
	e.acks.upTo = upTo
	e.clients.succeed(e, upTo)
}

// nthAcked is the length that at least n of the counted have acknowledged.
func (e *engine) nthAcked(n int) int64 {
	var best [8]int64 // the largest, in falling order
	for _, c := range e.conns {
		if !e.counts(c) {
			continue
		}
		at := c.acked
		for i := range best {
			if at > best[i] {
				best[i], at = at, best[i]
			}
		}
	}
	return best[min(n, len(best))-1]
}
