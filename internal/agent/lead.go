package agent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/ha"
)

// soloWait is how long the register may be silent after a boot before a member
// alone in its rule leads its recorded term without it.
const soloWait = 4 * time.Second

// answerKind is what the last read of the register was worth.
type answerKind int

const (
	noAnswer answerKind = iota // none that began after the last write
	absent                     // there is no register
	empty                      // there is one, without a usable record
	holds                      // there is one with a record
)

// question is one snapshot of what decides about the lead.
type question struct {
	UID, Pod, Profile string // of this member
	Initialised       bool
	Seen, Pending     *ha.Record
	Floor             int64

	Answer    answerKind
	Record    ha.Record // if it holds one
	Bootstrap string    // the pod that may write the first record

	Lead      *ha.Record // the record that this member leads by, if it does
	Answered  bool       // any read since the boot got an answer
	SinceBoot time.Duration
}

// move is what the register lane does next.
type move string

const (
	stay     move = "stay"
	learn    move = "learn"      // Record was read: it is seen, and nothing older is pending
	offer    move = "offer"      // compare-and-swap Record
	take     move = "take"       // lead by Record, which the register holds or held
	giveUp   move = "give up"    // somebody else leads, or may
	mayStart move = "initialise" // the volume may be initialised
)

// step is a move with its record, or with the reason for staying.
type step struct {
	Move   move
	Record ha.Record
	Why    trouble
}

// decideLead is the protocol for a rule of one member. It is pure. It offers
// only what no other member can contradict: every record it can know of names
// this member alone.
func decideLead(q question) step {
	switch q.Answer {
	case noAnswer:
		return silent(q)
	case absent:
		return hold(q, trouble{"RegisterAbsent", "The register does not exist. The operator makes it anew, and then this member goes on."})
	case empty:
		return fill(q)
	}
	newest := version(q.Seen)
	switch {
	case q.Pending != nil && q.Pending.Version > q.Record.Version:
		return unlanded(q)
	case q.Pending != nil, q.Record.Version > newest:
		return step{Move: learn, Record: q.Record}
	case q.Record.Version < newest, !q.Record.Equal(*q.Seen):
		// The register was turned back or edited.
		return fill(q)
	default:
		return settled(q)
	}
}

// silent is the register without an answer.
func silent(q question) step {
	solo := q.Lead == nil && !q.Answered && q.SinceBoot >= soloWait &&
		q.Pending == nil && q.Seen != nil && q.Seen.Alone(q.UID) && q.Seen.Leader == q.UID
	if solo {
		return step{Move: take, Record: *q.Seen}
	}
	return hold(q, trouble{"WaitingForRegister", "The API server does not answer. The member asks again every second."})
}

// hold keeps a lead that there is, and else waits.
func hold(q question, why trouble) step {
	if q.Lead != nil {
		return step{Move: stay}
	}
	return step{Move: stay, Why: why}
}

// unlanded is a write whose outcome was unknown and that has not taken effect:
// the same record is offered again, and nothing else, while the record it
// follows stands there.
func unlanded(q question) step {
	if q.Pending.Version == q.Record.Version+1 && q.Pending.Alone(q.UID) {
		return step{Move: offer, Record: *q.Pending}
	}
	return fill(q)
}

// settled is a register that holds what this member has seen.
func settled(q question) step {
	r := q.Record
	switch {
	case q.Lead != nil && r.Equal(*q.Lead):
		return step{Move: stay}
	case q.Lead != nil && (r.Leader != q.UID || r.Term != q.Lead.Term || !r.Alone(q.UID)):
		return step{Move: giveUp, Record: r}
	case !r.Names(q.UID):
		return step{Move: stay, Why: trouble{agentapi.ReasonNotAMember,
			"The rule does not count this member. It waits to be added; this version leads one member only."}}
	case !r.Alone(q.UID):
		return step{Move: stay, Why: trouble{agentapi.ReasonRuleOfMore,
			fmt.Sprintf("The rule counts %d members, which this version cannot lead.", len(r.Members))}}
	case r.Leader == q.UID:
		return step{Move: take, Record: r}
	default:
		return step{Move: offer, Record: r.Claim(q.UID)}
	}
}

// fill is a register without the newest record. Only all members of every rule
// that can be in force may write it: here, this member alone.
func fill(q question) step {
	known := q.known()
	if len(known) == 0 {
		return firstStart(q)
	}
	if missing := q.missing(); len(missing) > 0 {
		return hold(q, trouble{"MembersMissing",
			"The register holds no record, and these members may know a newer one: " + strings.Join(missing, ", ") + "."})
	}
	newest := slices.MaxFunc(known, func(a, b ha.Record) int { return cmp.Compare(a.Version, b.Version) })
	r := newest.Claim(q.UID)
	r.Version = max(r.Version, q.Floor)
	r.Rule = ha.RuleOf(q.UID)
	for _, k := range known {
		r.Term = max(r.Term, k.Term+1)
	}
	if q.Lead != nil { // a repair: the term goes on
		r.Term = q.Lead.Term
	}
	return step{Move: offer, Record: r}
}

// firstStart is a register that nobody has written, and a member that knows of
// no record.
func firstStart(q question) step {
	switch {
	case q.Bootstrap != q.Pod || q.Answer != empty:
		return step{Move: stay, Why: trouble{agentapi.ReasonNotBootstrapped,
			"The register holds no record and does not name this pod to write the first one. An empty volume never leads by itself."}}
	case !q.Initialised:
		return step{Move: mayStart, Why: trouble{"Initialising", "The member makes its first data directory."}}
	default:
		return step{Move: offer, Record: ha.First(q.UID, q.Profile)}
	}
}

// known are all records that this member knows to have been tried.
func (q question) known() []ha.Record {
	var all []ha.Record
	for _, r := range []*ha.Record{q.Seen, q.Pending} {
		if r != nil {
			all = append(all, *r)
		}
	}
	if q.Answer == holds {
		all = append(all, q.Record)
	}
	return all
}

// missing are the members, other than this one, of any rule that may be in
// force. What stands in a register that was turned back is none.
func (q question) missing() []string {
	rules := []*ha.Record{q.Seen, q.Pending}
	if q.Answer == holds && q.Record.Version > version(q.Seen) {
		rules = append(rules, &q.Record)
	}
	var others []string
	for _, r := range rules {
		if r == nil {
			continue
		}
		for _, uid := range r.Members {
			if uid != q.UID {
				others = append(others, uid)
			}
		}
	}
	slices.Sort(others)
	return slices.Compact(others)
}

func version(r *ha.Record) int64 {
	if r == nil {
		return 0
	}
	return r.Version
}
