package ha_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

// holds is the definition: the leader and those that answered a heartbeat sent
// at or after since are enough for the rule.
func holds(l ha.Lease, since time.Duration) bool {
	n := 1
	for _, a := range l.Answers {
		if slices.Contains(l.Rule.Members, a.UID) && a.Sent >= since {
			n++
		}
	}
	return n >= l.Rule.Acks
}

func TestALeaseBeganAtTheLastMomentThatEnoughHaveAnswered(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		members := 1 + random.IntN(5)
		l := ha.Lease{Rule: ha.RuleOf(names[:members]...), Now: 100}
		for i := 1; i < 5; i++ { // a leads; some answers are of outsiders, some missing
			if random.IntN(4) > 0 {
				l.Answers[i] = ha.Answer{UID: names[i], Sent: time.Duration(random.IntN(12))}
			}
		}
		began := l.Began()
		if began >= 0 && !holds(l, began) {
			t.Fatalf("%vdoes not hold since %v", l, began)
		}
		for later := max(began+1, 0); later < 100; later++ {
			if holds(l, later) != (l.Rule.Acks == 1) {
				t.Fatalf("%vbegan at %v, and holds since %v: %v", l, began, later, holds(l, later))
			}
		}
	}
}

func TestALeaseDrawsItself(t *testing.T) {
	l := ha.Lease{Rule: ha.RuleOf("a", "b", "c"), Now: 5 * time.Second}
	l.Answers[1] = ha.Answer{UID: "b", Sent: 4750 * time.Millisecond}
	l.Answers[2] = ha.Answer{UID: "c", Sent: 2 * time.Second}
	l.Answers[3] = ha.Answer{UID: "d", Sent: 5 * time.Second}
	want := `2 of [a b c] at 5s
  b  4.75s  250ms ago  <- the lease began
  c  2s  3s ago
  d  5s  0s ago  not in the rule
`
	if diff := cmp.Diff(want, l.String()); diff != "" {
		t.Error(diff)
	}
}
