package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

const me, other = "uid-a", "uid-b"

// at is a record of a rule of the members given, led by the first of them.
func at(version, term int64, members ...string) ha.Record {
	return ha.Record{Version: version, Term: term, Leader: members[0], Rule: ha.Rule{Members: members, Acks: len(members)/2 + 1}, Profile: "fast"}
}

func TestDecideLead(t *testing.T) {
	first, mine, pair := ha.First(me, "fast"), at(2, 1, me), at(3, 1, me, other)
	lost, edited := at(3, 2, other), at(2, 9, me)
	for name, c := range map[string]struct {
		q      question
		want   move
		record ha.Record
		reason string
	}{
		// First start.
		"an empty volume may be initialised with the mark for this pod": {
			question{Answer: empty, Bootstrap: "db-0"}, mayStart, ha.Record{}, "Initialising"},
		"an empty volume waits without the mark": {
			question{Answer: empty}, stay, ha.Record{}, "NotBootstrapped"},
		"an empty volume waits with the mark for another pod": {
			question{Answer: empty, Bootstrap: "db-1", Initialised: true}, stay, ha.Record{}, "NotBootstrapped"},
		"an initialised volume offers the first record": {
			question{Answer: empty, Bootstrap: "db-0", Initialised: true}, offer, first, ""},
		"a first record that was written is learned": {
			question{Answer: holds, Record: first, Pending: &first}, learn, first, ""},
		"then the member claims its first term": {
			question{Answer: holds, Record: first, Seen: &first}, offer, mine, ""},
		"a claim that was written is learned": {
			question{Answer: holds, Record: mine, Seen: &first, Pending: &mine}, learn, mine, ""},
		"then the member leads": {
			question{Answer: holds, Record: mine, Seen: &mine}, take, mine, ""},

		// Unknown outcomes.
		"without an answer a pending record waits": {
			question{Seen: &first, Pending: &mine, SinceBoot: time.Hour}, stay, ha.Record{}, "WaitingForRegister"},
		"a claim that did not land is offered again": {
			question{Answer: holds, Record: first, Seen: &first, Pending: &mine}, offer, mine, ""},
		"a first record that did not land is offered above itself, in a term": {
			question{Answer: empty, Pending: &first}, offer, mine, ""},
		"a claim that lost is forgotten": {
			question{Answer: holds, Record: at(2, 1, other), Seen: &first, Pending: &mine}, learn, at(2, 1, other), ""},

		// Restarts.
		"a leader leads its recorded term again without a write": {
			question{Answer: holds, Record: mine, Seen: &mine, Answered: true}, take, mine, ""},
		"a newer record is learned": {
			question{Answer: holds, Record: at(9, 4, me), Seen: &mine}, learn, at(9, 4, me), ""},
		"a member that is not in the rule waits": {
			question{Answer: holds, Record: lost, Seen: &lost}, stay, ha.Record{}, "NotAMember"},
		"a rule of more is not led": {
			question{Answer: holds, Record: pair, Seen: &pair}, stay, ha.Record{}, "RuleOfMore"},

		// Without the API.
		"a leader alone leads after four silent seconds": {
			question{Seen: &mine, SinceBoot: soloWait}, take, mine, ""},
		"not before": {
			question{Seen: &mine, SinceBoot: soloWait - 1}, stay, ha.Record{}, "WaitingForRegister"},
		"not after any answer": {
			question{Seen: &mine, SinceBoot: time.Hour, Answered: true}, stay, ha.Record{}, "WaitingForRegister"},
		"not with a record pending": {
			question{Seen: &mine, Pending: &pair, SinceBoot: time.Hour}, stay, ha.Record{}, "WaitingForRegister"},
		"not without having led": {
			question{Seen: &first, SinceBoot: time.Hour}, stay, ha.Record{}, "WaitingForRegister"},
		"not in a rule of more": {
			question{Seen: &pair, SinceBoot: time.Hour}, stay, ha.Record{}, "WaitingForRegister"},
		"a serving leader goes on": {
			question{Seen: &mine, Lead: &mine, Answered: true}, stay, ha.Record{}, ""},

		// The register lost or turned back.
		"an absent register is waited for": {
			question{Answer: absent, Seen: &mine}, stay, ha.Record{}, "RegisterAbsent"},
		"a serving leader does not mind": {
			question{Answer: absent, Seen: &mine, Lead: &mine}, stay, ha.Record{}, ""},
		"a register made anew is filled above all that is known": {
			question{Answer: empty, Seen: &mine}, offer, at(3, 2, me), ""},
		"above a promise too": {
			question{Answer: empty, Seen: &mine, Floor: 12}, offer, at(12, 2, me), ""},
		"above a pending record too": {
			question{Answer: empty, Seen: &mine, Pending: ptr(at(5, 4, me))}, offer, at(6, 5, me), ""},
		"the mark changes nothing for a member that knows a record": {
			question{Answer: empty, Seen: &mine, Bootstrap: "db-0"}, offer, at(3, 2, me), ""},
		"a serving leader repairs in its term": {
			question{Answer: empty, Seen: &mine, Lead: &mine}, offer, at(3, 1, me), ""},
		"a register turned back is filled": {
			question{Answer: holds, Record: first, Seen: &mine}, offer, at(3, 2, me), ""},
		"an edited register is filled above the edit": {
			question{Answer: holds, Record: edited, Seen: &mine}, offer, at(3, 10, me), ""},
		"a rule of more is not filled by one": {
			question{Answer: empty, Seen: &pair}, stay, ha.Record{}, "MembersMissing"},
		"a rule that may be in force is asked for too": {
			question{Answer: empty, Seen: &mine, Pending: &pair}, stay, ha.Record{}, "MembersMissing"},

		// Deposed.
		"a leader learns of another": {
			question{Answer: holds, Record: lost, Seen: &mine, Lead: &mine}, learn, lost, ""},
		"then it gives up": {
			question{Answer: holds, Record: lost, Seen: &lost, Lead: &mine}, giveUp, lost, ""},
		"a newer term of its own makes it begin anew": {
			question{Answer: holds, Record: at(5, 3, me), Seen: ptr(at(5, 3, me)), Lead: &mine}, giveUp, at(5, 3, me), ""},
		"a newer rule of its own term goes on": {
			question{Answer: holds, Record: at(3, 1, me), Seen: ptr(at(3, 1, me)), Lead: &mine}, take, at(3, 1, me), ""},
		"a rule of more that appears is given up": {
			question{Answer: holds, Record: pair, Seen: &pair, Lead: &mine}, giveUp, pair, ""},
		"a serving leader without news stays": {
			question{Answer: holds, Record: mine, Seen: &mine, Lead: &mine}, stay, ha.Record{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.UID, c.q.Pod, c.q.Profile = me, "db-0", "fast"
			got := decideLead(c.q)
			if got.Move != c.want || got.Why.Reason != c.reason {
				t.Errorf("decideLead = %s (%s), want %s (%s)", got.Move, got.Why.Reason, c.want, c.reason)
			}
			if diff := cmp.Diff(c.record, got.Record); diff != "" {
				t.Errorf("record (-want +got):\n%s", diff)
			}
		})
	}
}

func ptr(r ha.Record) *ha.Record { return &r }
