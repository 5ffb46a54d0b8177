package sabotage

import "github.com/myuser/db-operator/internal/sim"

// leaderTable is what a leader must do, so that it is dead before another one
// can open and opens only what cannot be lost.
var leaderTable = []Sabotage{
	{
		Name: "no-fence", From: "Fence",
		Rule: "a leader whose lease is over kills its engine",
		Edits: []Edit{
			{"internal/ha/leader.go", `	if t.Role != Opening && !t.leaseHolds() {
		t.newSession()`, `	if t.Role != Opening && !t.leaseHolds() && !sabotaged("no-fence") {
		t.newSession()`},
			{"internal/ha/leader.go", `		w.Until = t.leaseEnd()`, `		w.Until = t.leaseEnd()
		if sabotaged("no-fence") || sabotaged("no-guardian") {
			w.Until = Forever
		}`},
		},
		Breaks: "B", Conditions: sim.Conditions{Members: 3, Faults: isolation}, Seeds: 500,
	},
	{
		Name: "no-guardian", From: "Fence", // its edit is above, at the same place
		Rule:   "the guardian kills the engine of a leader that is stopped",
		Breaks: "B", Conditions: sim.Conditions{Members: 3, Faults: standstill}, Seeds: 500,
	},
	{
		Name: "deposed-goes-on", From: "Lease",
		Rule: "a leader that learns of another leader kills its engine",
		Edits: []Edit{{"internal/ha/register.go", `	if t.Role.Leads() && (r.Leader != t.UID || r.Term != t.lead.term) {
		t.stepBack()`, `	if t.Role.Leads() && (r.Leader != t.UID || r.Term != t.lead.term) && !sabotaged("deposed-goes-on") {
		t.stepBack()`}},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3, Faults: isolation}, Seeds: 3000,
	},
	{
		Name: "lease-from-reply", From: "Lease",
		Rule: "a lease counts from when the heartbeat was sent, not from when it was answered",
		Edits: []Edit{{"internal/ha/peer.go", `	p.Acked = a.Sent
`, `	p.Acked = a.Sent
	if sabotaged("lease-from-reply") {
		p.Acked = t.now
	}
`}},
		Breaks: "B", Conditions: sim.Conditions{Members: 3}, Seeds: 100, Scenario: "answers come late",
	},
	{
		Name: "lease-one-answer-too-few", From: "Lease",
		Rule: "a lease needs so many answers that those who gave none cannot choose another leader",
		Edits: []Edit{{"internal/ha/lease.go", `func (t *turn) leaseUnder(r Rule) time.Duration {
`, `func (t *turn) leaseUnder(r Rule) time.Duration {
	if sabotaged("lease-one-answer-too-few") {
		r.Acks--
	}
`}},
		Breaks: "B", Conditions: sim.Conditions{Members: 5, Faults: isolation}, Seeds: 500,
	},
	{
		Name: "lease-under-old-rule-only", From: "Lease",
		Rule: "while a new rule is on its way, the lease holds under both",
		Edits: []Edit{{"internal/ha/lease.go", `	if t.Pending.Version > 0 {
		began = min(`, `	if t.Pending.Version > 0 && !sabotaged("lease-under-old-rule-only") {
		began = min(`}},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 20, Scenario: "a rule grows and the old members cannot know",
	},
	{
		Name: "opening-under-old-rule-only", From: "Opening",
		Rule: "while a new rule is on its way, a gate opens when the barrier is flushed under both",
		Edits: []Edit{{"internal/ha/lease.go", `t.flushedUnder(t.Seen.Rule, mark) && (t.Pending.Version == 0 ||`,
			`t.flushedUnder(t.Seen.Rule, mark) && (t.Pending.Version == 0 || sabotaged("opening-under-old-rule-only") ||`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 4, Faults: changing}, Seeds: 3000,
	},
	{
		Name: "opened-without-lease", From: "Opening",
		Rule: "the lease is checked once more at the moment of opening",
		Edits: []Edit{{"internal/ha/leader.go", `	case !t.leaseHolds():
		t.Why = WaitingForLease`, `	case !t.leaseHolds() && !sabotaged("opened-without-lease"):
		t.Why = WaitingForLease`}},
		With:   []string{"no-fence"},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 60, Scenario: "a leader sleeps just before it opens",
	},
	{
		Name: "opened-before-barrier", From: "Opening",
		Rule:   "a gate opens when enough members have flushed the session's barrier",
		Edits:  []Edit{{"internal/ha/leader.go", `	case !t.flushedUnderAll(e.Barrier):`, `	case !t.flushedUnderAll(e.Barrier) && !sabotaged("opened-before-barrier"):`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 3}, Seeds: 500,
	},
	{
		Name: "opened-before-rule", From: "Opening",
		Rule: "a driver shows a primary when its commits wait by the rule, and a gate opens when that rule is shown",
		Edits: []Edit{
			{"internal/ha/leader.go", `!e.Rule.Equal(t.engineRule()):`, `!e.Rule.Equal(t.engineRule()) && !sabotaged("opened-before-rule"):`},
			{"internal/sim/engine.go", `|| d.promoting:`, `|| d.promoting && !sabotaged("opened-before-rule"):`},
		},
		With:   []string{"rule-before-write"},
		Breaks: "A", Conditions: sim.Conditions{Members: 3, Flavour: "sets"}, Seeds: 30, Scenario: "a gate opens before its rule is in force",
	},
	{
		Name: "boots-as-primary", From: "Nobody remembers being primary",
		Rule: "nobody becomes a primary by remembering that it was",
		Edits: []Edit{{"internal/ha/candidate.go", `	case t.led():
		t.Why = Well`, `	case sabotaged("boots-as-primary") && t.Seen.Leader == t.UID && t.ready() && t.age(t.started) < 2*time.Second:
		t.takeOffice()
		t.Promotions++
		t.Role, t.lead.session, t.lead.promoting = Serving, Session{t.lead.term, t.Promotions}, true
	case t.led():
		t.Why = Well`}},
		With:   []string{"no-fence"},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 10, Scenario: "a primary comes back after it was replaced",
	},
	{
		Name: "solo-boot-with-pending", From: "One member",
		Rule: "who may have recorded another rule does not lead the old one without the register",
		Edits: []Edit{{"internal/ha/bootstrap.go", `t.Seen.Leader != t.UID || t.Pending.Version != 0 {`,
			`t.Seen.Leader != t.UID || t.Pending.Version != 0 && !sabotaged("solo-boot-with-pending") {`}},
		With:   []string{"lease-under-old-rule-only", "opening-under-old-rule-only"},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 1, Policy: "degrade"}, Seeds: 60, Scenario: "the only member restarts after its rule grew",
	},
	{
		Name: "release-before-engine-down", From: "Release",
		Rule: "a leader gives up its engine before it gives up its record",
		Edits: []Edit{
			{"internal/ha/leader.go", `	case t.fencing:
		t.Why = EngineNotReady`, `	case t.fencing && !sabotaged("release-before-engine-down"):
		t.Why = EngineNotReady`},
			{"internal/ha/switchover.go", `	if l.promoting || t.o.Engine.Mode == Primary {`, `	if (l.promoting || t.o.Engine.Mode == Primary) && !sabotaged("release-before-engine-down") {`},
			{"internal/ha/switchover.go", `			d.stepping, d.began = true, t.now
`, `			d.stepping, d.began = true, t.now
			if sabotaged("release-before-engine-down") {
				t.handOver(d.target)
			}
`},
		},
		With:   []string{"kills-at-once"},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3, Faults: failing}, Seeds: 500,
	},
	{
		Name: "longer-lease-at-once", From: "Timings",
		Rule: "until every member knows the new timings, the smaller of both leases counts",
		Edits: []Edit{
			{"internal/ha/profile.go", `	if t.Role.Leads() && t.lead.former.Version > 0 {`, `	if t.Role.Leads() && t.lead.former.Version > 0 && !sabotaged("longer-lease-at-once") {`},
			{"internal/ha/profile.go", `	if t.Pending.Version > 0 && t.Pending.Profile != t.Seen.Profile {
		now =`, `	if t.Pending.Version > 0 && t.Pending.Profile != t.Seen.Profile && sabotaged("longer-lease-at-once") {
		now = TimingsOf(t.Pending.Profile)
	} else if t.Pending.Version > 0 && t.Pending.Profile != t.Seen.Profile {
		now =`},
		},
		Breaks: "B", Conditions: sim.Conditions{Members: 3, Faults: []sim.Aimed{
			{Kind: "change profile", Moment: "-"},
			{Kind: "isolate", Who: "the primary", Moment: "a change of the rule is in flight"},
			{Kind: "isolate", Who: "the primary", Moment: "a write of the register has just landed"},
		}}, Seeds: 3000,
	},
}
