package ha_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/myuser/db-operator/internal/ha"
)

var names = []string{"a", "b", "c", "d", "e"}

// subset are the members whose bits are set.
func subset(set uint) []string {
	var members []string
	for i, name := range names {
		if set>>i&1 == 1 {
			members = append(members, name)
		}
	}
	return members
}

func TestAcknowledgementsByNumberOfMembers(t *testing.T) {
	for n, want := range map[int]int{1: 1, 2: 2, 3: 2, 4: 3, 5: 3} {
		if got := ha.RuleOf(names[:n]...).Acks; got != want {
			t.Errorf("%d members: %d acknowledge, want %d", n, got, want)
		}
	}
}

// Whoever recruits enough members has one among them that flushed any given
// acknowledged write: tried for every pair of sets.
func TestRecruitsMeetAcknowledgers(t *testing.T) {
	for n := 1; n <= len(names); n++ {
		r := ha.RuleOf(names[:n]...)
		for recruits := range uint(1 << n) {
			if bits.OnesCount(recruits) != r.Recruits() {
				continue
			}
			for acks := range uint(1 << n) {
				if bits.OnesCount(acks) == r.Acks && recruits&acks == 0 {
					t.Errorf("%v: recruits %v miss the acknowledgers %v", r, subset(recruits), subset(acks))
				}
			}
		}
	}
}

// weaker is the definition, by trying every set of members that can satisfy the
// old rule with the leader in it.
func weaker(r, old ha.Rule, leader string) bool {
	if r.Alone(leader) {
		return true
	}
	for set := range uint(1 << len(names)) {
		held, counted, led := 0, 0, false
		for _, m := range subset(set) {
			led = led || m == leader
			if old.Names(m) {
				held++
			}
			if old.Names(m) && r.Names(m) {
				counted++
			}
		}
		if led && held == old.Acks && held == len(subset(set)) && counted < r.Acks {
			return false
		}
	}
	return true
}

// The arithmetic must never call a rule weaker that is not. It may miss one:
// that only costs a proof.
func TestWeakerThanIsTheDefinitionForOneMemberMoreOrLess(t *testing.T) {
	for from := uint(1); from < 1<<len(names); from++ {
		old := ha.RuleOf(subset(from)...)
		for i, changed := range names {
			to := from ^ 1<<i
			if to == 0 {
				continue
			}
			r := ha.RuleOf(subset(to)...)
			for _, leader := range old.Members {
				if leader == changed {
					continue
				}
				if got, want := r.WeakerThan(old, leader), weaker(r, old, leader); got != want {
					t.Errorf("%v after %v under %s: weaker is %v, want %v", r, old, leader, got, want)
				}
			}
		}
	}
}

func TestChangingARuleLeavesTheOldOne(t *testing.T) {
	old := ha.RuleOf("c", "a", "b")
	if got, want := old.Without("b").String(), "2 of [a c]"; got != want {
		t.Errorf("without b: %s, want %s", got, want)
	}
	if got, want := old.With("aa").String(), "3 of [a aa b c]"; got != want {
		t.Errorf("with aa: %s, want %s", got, want)
	}
	if got, want := fmt.Sprint(old), "2 of [a b c]"; got != want {
		t.Errorf("the old rule became %s, want %s", got, want)
	}
}

func TestOneFollowerLess(t *testing.T) {
	for n := 2; n <= len(names); n++ {
		old := ha.RuleOf(names[:n]...)
		if got, want := old.Without("b").WeakerThan(old, "a"), n%2 == 0; got != want {
			t.Errorf("%v without b: weaker is %v, want %v", old, got, want)
		}
	}
}
