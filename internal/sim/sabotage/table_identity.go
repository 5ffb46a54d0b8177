package sabotage

import "github.com/myuser/db-operator/internal/sim"

// identityTable is how a member knows that it still is who it was.
var identityTable = []Sabotage{
	{
		Name: "new-volume-under-old-uid", From: "Identity",
		Rule: "an empty volume is a new member",
		Edits: []Edit{{"internal/sim/faults_data.go", `	p.engine.wipe()
	w.initialise(p.volume, p.ordinal)`, `	p.engine.wipe()
	if sabotaged("new-volume-under-old-uid") {
		w.tainted[p.volume.state.UID] = true
		p.volume.state = ha.Durable{UID: p.volume.state.UID, Claim: p.volume.state.Claim, Boot: p.volume.state.Boot}
	} else {
		w.initialise(p.volume, p.ordinal)
	}`}},
		With:   []string{"initialises-without-mark"},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 10, Scenario: "a member loses its data",
	},
	{
		Name: "rolled-back-volume-counted", From: "Identity",
		Rule: "what an older boot of a member says does not count",
		Edits: []Edit{
			{"internal/ha/trust.go", `	case later(known, from.Boot):
		t.send`, `	case later(known, from.Boot) && !sabotaged("rolled-back-volume-counted"):
		t.send`},
			{"internal/ha/follower.go", `; later(boot, t.Boot) {
		t.doubt()`, `; later(boot, t.Boot) && !sabotaged("rolled-back-volume-counted") {
		t.doubt()`},
		},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3, Faults: []sim.Aimed{
			{Kind: "turn volume back", Who: "a follower"}, {Kind: "kill agent", Who: "a follower"}, {Kind: "isolate", Who: "the primary", Moment: "-"}, {Kind: "lose power", Who: "the primary", Moment: "-"},
		}}, Seeds: 3000,
	},
	{
		Name: "claim-not-checked", From: "Identity",
		Rule: "a volume found under another claim becomes a new member before its first word",
		Edits: []Edit{
			{"internal/ha/trust.go", `	case t.Home != t.Ordinal+1:`, `	case t.Home != t.Ordinal+1 && !sabotaged("claim-not-checked"):`},
			{"internal/ha/trust.go", `	case t.o.Claim == t.Claim:`, `	case t.o.Claim == t.Claim || sabotaged("claim-not-checked"):`},
		},
		With:   []string{"rolled-back-volume-counted", "one-uid-votes-twice"},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 5}, Seeds: 20, Scenario: "a volume is copied to another member",
	},
	{
		Name: "initialises-without-mark", From: "One member",
		Rule: "only the member that the register's mark names makes the first data of a Database",
		Edits: []Edit{{"internal/ha/follower.go", `	if t.Seen.Version == 0 && t.view.Bootstrap == t.Ordinal+1 {`,
			`	if t.Seen.Version == 0 && t.view.Bootstrap == t.Ordinal+1 || t.o.Engine.Mode == Vacant && sabotaged("initialises-without-mark") {`}},
		With:   []string{"new-volume-under-old-uid"},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3}, Seeds: 10, Scenario: "a member loses its data",
	},
	{
		Name: "one-uid-votes-twice", From: "Candidacy",
		Rule:   "a member joins once, from whatever place it speaks",
		Edits:  []Edit{{"internal/ha/candidate.go", `return o.UID == from.UID })`, `return o.UID == from.UID && !sabotaged("one-uid-votes-twice") })`}},
		With:   []string{"rolled-back-volume-counted", "claim-not-checked"},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 5}, Seeds: 20, Scenario: "a volume is copied to another member",
	},
}
