package sabotage

import "github.com/myuser/db-operator/internal/sim"

// failoverTable is what followers and candidates must do, so that whoever is
// chosen holds every acknowledged write, and nobody else can go on.
var failoverTable = []Sabotage{
	{
		Name: "followers-not-frozen", From: "Joining",
		Rule: "a member that joins a candidate cuts its log off from the old leader, and answers when that is done",
		Edits: []Edit{
			{"internal/ha/join.go", `	t.leader = Source{}
}`, `	switch {
	case sabotaged("followers-not-frozen"):
	case sabotaged("unfreezes-by-itself"):
		if t.leader.Session != (Session{}) {
			t.formerSource, t.frozenSince = t.leader, t.now
		}
		t.leader = Source{}
	default:
		t.leader = Source{}
	}
}`},
			{"internal/ha/join.go", `	if t.frozen() {`,
				`	if t.frozen() || t.ready() && (sabotaged("followers-not-frozen") || sabotaged("position-before-freeze")) {`},
			{"internal/ha/candidate.go", `	if !t.frozen() {
		t.Why = EngineNotReady`, `	if !t.frozen() && !(t.ready() && sabotaged("followers-not-frozen")) {
		t.Why = EngineNotReady`},
		},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3, Faults: deposed}, Seeds: 500,
	},
	{
		Name: "position-before-freeze", From: "Joining", // its edit is above, on the same line
		Rule:   "the position that a joining member answers is read after its log was cut off",
		Breaks: "A", Conditions: sim.Conditions{Members: 3, Faults: deposed}, Seeds: 500,
	},
	{
		Name: "unfreezes-by-itself", From: "Joining", // its other edit is above
		Rule: "a member that has joined stays frozen until it accepts a leader with a newer version",
		Edits: []Edit{
			{"internal/ha/state.go", `	campaign campaign`, `	formerSource Source
	frozenSince  time.Duration

	campaign campaign`},
			{"internal/ha/follower.go", `	if t.leader.Session != (Session{}) {
		w.Source = t.leader`, `	if t.leader.Session == (Session{}) && t.formerSource.Session != (Session{}) && t.age(t.frozenSince) > time.Second {
		w.Source = t.formerSource
	}
	if t.leader.Session != (Session{}) {
		t.formerSource = Source{}
		w.Source = t.leader`},
			{"internal/ha/follower.go", `package ha
`, `package ha

import "time"
`},
		},
		Breaks: "A", Conditions: sim.Conditions{Members: 3}, Seeds: 10, Scenario: "a claim lands after those who joined lost patience",
	},
	{
		Name: "promise-not-persisted", From: "Disk before word",
		Rule: "the promise to follow no old leader outlives a restart",
		Edits: []Edit{{"internal/ha/state.go", `	return State{
		Durable: d,`, `	if sabotaged("promise-not-persisted") {
		d.Floor = 0
	}
	if sabotaged("pending-not-persisted") {
		d.Pending, d.Base = Record{}, Object{}
	}
	return State{
		Durable: d,`}},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 10, Scenario: "a claim lands after those who joined restarted",
	},
	{
		Name: "answers-before-persisting", From: "Disk before word",
		Rule: "nothing is sent or followed before the state that it follows from is on the disk",
		Edits: []Edit{{"internal/sim/runner.go", `	if !r.saving && p.state.Durable.Equal(r.saved) {
		p.setWant(p.state.Want)
		p.act(actions)`, `	if !r.saving && p.state.Durable.Equal(r.saved) || sabotaged("answers-before-persisting") {
		if !p.state.Durable.Equal(r.saved) {
			r.batches = append(r.batches, batch{p.state.Durable, nil})
			p.save()
		}
		p.setWant(p.state.Want)
		p.act(actions)`}},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3}, Seeds: 10, Scenario: "a member answers and loses power",
	},
	{
		Name: "no-withhold", From: "Withholding",
		Rule: "who heard the leader a moment ago helps nobody against it",
		Edits: []Edit{{"internal/ha/follower.go", `	return t.released != t.Seen.Term && t.age(t.contact) <= t.timings().Withhold`, `	withhold := t.timings().Withhold
	if sabotaged("withhold-too-short") {
		withhold = t.timings().Fence / 2
	}
	return !sabotaged("no-withhold") && t.released != t.Seen.Term && t.age(t.contact) <= withhold`}},
		Breaks: "B", Conditions: sim.Conditions{Members: 3, Faults: bootsAside}, Seeds: 3000,
	},
	{
		Name: "no-withhold-after-boot", From: "Withholding",
		Rule: "a member that starts helps nobody against a leader that it may have answered before it ended",
		Edits: []Edit{
			{"internal/ha/state.go", `		started: now, contact: now, learned: now,`, `		started: now, contact: heard, learned: now,`},
			{"internal/ha/state.go", `func Start(d Durable, ordinal int, now time.Duration) State {
`, `func Start(d Durable, ordinal int, now time.Duration) State {
	heard := now
	if sabotaged("no-withhold-after-boot") {
		heard = never
	}
`},
		},
		Breaks: "B", Conditions: sim.Conditions{Members: 3}, Seeds: 20, Scenario: "a follower restarts beside a candidate",
	},
	{
		Name: "withhold-too-short", From: "Timings", // its edit is above, on the same line
		Rule:   "a member withholds for longer than its leader needs to be dead, by clocks that differ",
		Breaks: "B", Conditions: sim.Conditions{Members: 3, Faults: isolation}, Seeds: 500,
	},
	{
		Name: "recruits-one-too-few", From: "Candidacy",
		Rule: "a candidate needs so many members that any set that acknowledged a write has one among them",
		Edits: []Edit{{"internal/ha/rule.go", `{ return len(r.Members) - r.Acks + 1 }`, `{
	if sabotaged("recruits-one-too-few") {
		return len(r.Members) - r.Acks
	}
	return len(r.Members) - r.Acks + 1
}`}},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 500,
	},
	{
		Name: "outsiders-counted", From: "Candidacy",
		Rule: "only members of the rule count as recruits",
		Edits: []Edit{
			{"internal/ha/candidate.go", `	return t.Seen.Names(j.UID) && j.Position.Known() && !j.Errant`,
				`	return (t.Seen.Names(j.UID) || j.UID != "" && sabotaged("outsiders-counted")) && j.Position.Known() && !j.Errant`},
			{"internal/ha/join.go", `	case !r.Base.Names(t.UID) && !r.Rebuild:`, `	case !r.Base.Names(t.UID) && !r.Rebuild && !sabotaged("outsiders-counted"):`},
		},
		Breaks: "AB", Conditions: sim.Conditions{Members: 4}, Seeds: 3000,
	},
	{
		Name: "learner-may-lead", From: "Candidacy",
		Rule: "only a member of the rule becomes a candidate",
		Edits: []Edit{
			{"internal/ha/candidate.go", `	case !t.Seen.Names(t.UID):
		t.Why = NotInRule`, `	case !t.Seen.Names(t.UID) && !sabotaged("learner-may-lead"):
		t.Why = NotInRule`},
			{"internal/ha/claim.go", `	r := t.Seen.Claim(t.UID)
`, `	r := t.Seen.Claim(t.UID)
	if sabotaged("learner-may-lead") && !r.Names(t.UID) {
		r.Rule = r.With(t.UID)
	}
`},
		},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 500,
	},
	{
		Name: "better-position-ignored", From: "Candidacy",
		Rule: "a candidate steps back for a member that holds more",
		Edits: []Edit{{"internal/ha/candidate.go", `		switch t.o.Engine.Position.Compare(j.Position) {
		case Behind:`, `		order := t.o.Engine.Position.Compare(j.Position)
		if order == Behind && sabotaged("better-position-ignored") || order == Diverged && sabotaged("unordered-positions-ignored") {
			continue
		}
		switch order {
		case Behind:`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 3}, Seeds: 3000,
	},
	{
		Name: "unordered-positions-ignored", From: "Candidacy", // its edit is above, at the same place
		Rule:   "where two members hold writes that the other lacks, neither claims",
		Breaks: "A", Conditions: sim.Conditions{Members: 3, Flavour: "sets", Faults: errancy}, Seeds: 3000,
	},
	{
		Name: "term-ignored-in-positions", From: "Words",
		Rule: "of two positions, the one in the later term is ahead, whatever its length",
		Edits: []Edit{
			{"internal/ha/position.go", `	case p.Session.Before(other.Session):`, `	case sabotaged("term-ignored-in-positions"):
		return p.Log.Compare(other.Log)
	case sabotaged("incarnation-ignored-in-positions") && p.Session.Term == other.Session.Term:
		return p.Log.Compare(other.Log)
	case p.Session.Before(other.Session):`},
		},
		Breaks: "AD", Conditions: sim.Conditions{Members: 3, Flavour: "timelines"}, Seeds: 20, Scenario: "a tail of an earlier term",
	},
	{
		Name: "incarnation-ignored-in-positions", From: "Words", // its edit is above, at the same place
		Rule:   "of two positions in one term, the one in the later session is ahead",
		With:   []string{"sends-before-flush"},
		Breaks: "AD", Conditions: sim.Conditions{Members: 3, Flavour: "timelines"}, Seeds: 20, Scenario: "a tail of an earlier session of the term",
	},
	{
		Name: "cas-not-guarded", From: "Claiming",
		Rule:   "a claim replaces the very object that was read before recruiting, and nothing else",
		Edits:  []Edit{{"internal/sim/register.go", `		case r.object != base:`, `		case r.object != base && !sabotaged("cas-not-guarded"):`}},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3}, Seeds: 500,
	},
	{
		Name: "object-ignored-when-offering-again", From: "Claiming",
		Rule: "a claim is offered again only while the very object stands there that it was based on",
		Edits: []Edit{
			{"internal/ha/claim.go", `	case t.view.Missing || t.view.Object != c.base.Object:`, `	case t.view.Missing || t.view.Object != c.base.Object && !sabotaged("object-ignored-when-offering-again"):`},
			{"internal/ha/claim.go", `	t.offer(t.campaign.record, t.campaign.base.Object)`, `	base := t.campaign.base.Object
	if sabotaged("object-ignored-when-offering-again") {
		base = t.view.Object
	}
	t.offer(t.campaign.record, base)`},
		},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 2, Policy: "degrade"}, Seeds: 100, Scenario: "a claim is lost and the register is made anew",
	},
	{
		Name: "rebuild-with-few", From: "A register that was lost or turned back",
		Rule:   "where the register has lost its record, every member must join, since any may know a newer one",
		Edits:  []Edit{{"internal/ha/candidate.go", `	if c.rebuild {`, `	if c.rebuild && !sabotaged("rebuild-with-few") {`}},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3, Faults: lostRegister}, Seeds: 3000,
	},
	{
		Name: "older-record-believed", From: "Following",
		Rule: "of two records the one with the higher version counts",
		Edits: []Edit{{"internal/ha/register.go", `	if r.Version <= t.Seen.Version {
		return`, `	if r.Version == t.Seen.Version || r.Version == 0 || r.Version < t.Seen.Version && !sabotaged("older-record-believed") {
		return`}},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3}, Seeds: 500,
	},
}
