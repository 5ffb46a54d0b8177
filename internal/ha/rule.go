package ha

import (
	"fmt"
	"slices"
	"strings"
)

// Rule says which members hold the data and how many of them, the leader
// included, must have flushed a write before the client hears of success.
// Members are sorted uids; the slice is never changed in place.
type Rule struct {
	Members []string `json:"members"`
	Acks    int      `json:"acks"`
}

// RuleOf is the rule for these members, with the only number of
// acknowledgements that is offered for so many of them.
func RuleOf(members ...string) Rule {
	members = slices.Clone(members)
	slices.Sort(members)
	return Rule{Members: members, Acks: acksOf(len(members))}
}

// acksOf n members: more than half, so that any two sets of so many meet.
func acksOf(n int) int { return n/2 + 1 }

// Names tells whether the rule counts the member with this uid.
func (r Rule) Names(uid string) bool { return slices.Contains(r.Members, uid) }

// Alone tells whether uid is the only member of the rule.
func (r Rule) Alone(uid string) bool { return len(r.Members) == 1 && r.Members[0] == uid }

// Recruits is how many members a candidate needs, itself included, so that at
// least one of them has flushed every acknowledged write: any set of so many
// members meets any set of Acks members.
func (r Rule) Recruits() int { return len(r.Members) - r.Acks + 1 }

// With is the rule with one member more.
func (r Rule) With(uid string) Rule { return RuleOf(append(slices.Clone(r.Members), uid)...) }

// Without is the rule with one member less.
func (r Rule) Without(uid string) Rule {
	return RuleOf(slices.DeleteFunc(slices.Clone(r.Members), func(m string) bool { return m == uid })...)
}

// WeakerThan tells whether whatever satisfies old satisfies r as well, seen
// from this leader: every set of old.Acks members of old that contains the
// leader holds r.Acks members of r. A leader alone holds everything.
//
// A weaker rule is recorded first and then given to the engine; any other is
// enforced and proven first and then recorded.
func (r Rule) WeakerThan(old Rule, leader string) bool {
	dropped := 0
	for _, m := range old.Members {
		if !r.Names(m) {
			dropped++
		}
	}
	return r.Alone(leader) && r.Acks == 1 || old.Acks-dropped >= r.Acks
}

// oneLessIsWeaker tells whether the rule without one of its followers is weaker.
func (r Rule) oneLessIsWeaker() bool { return r.Acks-1 >= acksOf(len(r.Members)-1) }

// Equal compares by content.
func (r Rule) Equal(o Rule) bool { return r.Acks == o.Acks && slices.Equal(r.Members, o.Members) }

// String draws the rule for logs and test output: "2 of [a b c]".
func (r Rule) String() string {
	return fmt.Sprintf("%d of [%s]", r.Acks, strings.Join(r.Members, " "))
}
