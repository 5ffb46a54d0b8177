package sabotage

import "github.com/myuser/db-operator/internal/sim"

// changeTable is the order of things when the rule changes.
var changeTable = []Sabotage{
	{
		Name: "weaker-rule-engine-first", From: "Changing the rule",
		Rule: "a weaker rule is recorded before the engine hears of it",
		Edits: []Edit{{"internal/ha/change.go", `	if c.Purpose != "" && c.step >= enforcing && !c.To.WeakerThan(t.Seen.Rule, t.UID) {`,
			`	tighter := !c.To.WeakerThan(t.Seen.Rule, t.UID) && !sabotaged("tighter-rule-register-first")
	if c.Purpose != "" && (c.step >= enforcing && tighter || sabotaged("weaker-rule-engine-first")) {`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 2, Policy: "degrade"}, Seeds: 500,
	},
	{
		Name: "tighter-rule-register-first", From: "Changing the rule", // its other edit is above
		Rule: "a tighter rule is in force and proven before it is recorded",
		Edits: []Edit{{"internal/ha/change.go", `	case c.To.WeakerThan(t.Seen.Rule, t.UID):
		t.offerChange()`, `	case c.To.WeakerThan(t.Seen.Rule, t.UID) || sabotaged("tighter-rule-register-first"):
		t.offerChange()`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 2}, Seeds: 500,
	},
	{
		Name: "tighter-rule-without-proof", From: "Changing the rule",
		Rule: "what was acknowledged under the old rule is flushed under the tighter one before that is recorded",
		Edits: []Edit{{"internal/ha/change.go", `	if !t.flushedUnder(c.To.Rule, c.mark) || !fresh || !t.inSession() {`,
			`	if (!t.flushedUnder(c.To.Rule, c.mark) || !fresh || !t.inSession()) && !sabotaged("tighter-rule-without-proof") {`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 2}, Seeds: 3000,
	},
	{
		Name: "tighter-rule-not-enforced", From: "Changing the rule",
		Rule: "the proof of a tighter rule begins when the engine has it in force",
		Edits: []Edit{{"internal/ha/change.go", `	if !t.o.Engine.Rule.Equal(c.To.Rule) || !t.inSession() {`,
			`	if !t.o.Engine.Rule.Equal(c.To.Rule) && !sabotaged("tighter-rule-not-enforced") || !t.inSession() {`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 2}, Seeds: 3000,
	},
	{
		Name: "unknown-taken-as-failed", From: "Claiming",
		Rule: "a write of the register without an answer may have happened, or happen later",
		Edits: []Edit{
			{"internal/ha/change.go", `	switch {
	case t.writing.ID != 0:
	case !t.readSince(max(c.began`, `	switch {
	case t.writing.ID != 0:
	case sabotaged("unknown-taken-as-failed"):
		t.Pending, t.Base = Record{}, Object{}
		t.dropChange()
	case sabotaged("unknown-taken-as-done"):
		t.learn(c.To)
	case !t.readSince(max(c.began`},
			{"internal/ha/claim.go", `	case t.writing.ID != 0:
	case !t.readSince(c.offered):`, `	case t.writing.ID != 0:
	case sabotaged("unknown-taken-as-failed"):
		t.Pending, t.Base = Record{}, Object{}
		t.retire(0)
	case sabotaged("unknown-taken-as-done"):
		t.learn(c.record)
	case !t.readSince(c.offered):`},
		},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3, Faults: changing}, Seeds: 3000,
	},
	{
		Name: "unknown-taken-as-done", From: "Claiming", // its edit is above, at the same place
		Rule:   "a write of the register without an answer may not have happened",
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3, Faults: unanswered}, Seeds: 3000,
	},
	{
		Name: "pending-not-persisted", From: "Disk before word", // its edit is with the promise, at the same place
		Rule:   "a record that may land later is remembered over a restart",
		Breaks: "ABC", Conditions: sim.Conditions{Members: 2, Faults: growing}, Seeds: 3000,
	},
	{
		Name: "no-bump", From: "Changing the rule",
		Rule: "a leader raises its version above the promises of those who answer",
		Edits: []Edit{{"internal/ha/plan.go", `	if floor := t.highestFloor(); floor > t.Seen.Version {`,
			`	if floor := t.highestFloor(); floor > t.Seen.Version && !sabotaged("no-bump") {`}},
		Breaks: "D", Conditions: sim.Conditions{Members: 3}, Seeds: 40, Scenario: "promises stand above the record",
	},
	{
		Name: "member-of-the-rule-wipes", From: "Following",
		Rule: "a member of the rule never destroys its log",
		Edits: []Edit{
			{"internal/ha/follower.go", `	return useless && t.out`, `	if sabotaged("member-of-the-rule-wipes") {
		return useless && t.barrier != nil
	}
	return useless && t.out`},
		},
		Breaks: "D", Conditions: sim.Conditions{Members: 3, Flavour: "timelines"}, Seeds: 20, Scenario: "a member of the rule falls behind",
	},
	{
		Name: "rejoins-while-pending", From: "Following",
		Rule: "a member that a rule on its way names does not destroy its log either",
		Edits: []Edit{{"internal/ha/leader.go", `	return uid != "" && !t.Seen.Names(uid) && !t.Pending.Names(uid) && !t.lead.change.To.Names(uid)`,
			`	if sabotaged("rejoins-while-pending") {
		return uid != "" && !t.Seen.Names(uid)
	}
	return uid != "" && !t.Seen.Names(uid) && !t.Pending.Names(uid) && !t.lead.change.To.Names(uid)`}},
		Breaks: "D", Conditions: sim.Conditions{Members: 2, Flavour: "timelines"}, Seeds: 20, Scenario: "a learner falls behind while it is being counted",
	},
}
