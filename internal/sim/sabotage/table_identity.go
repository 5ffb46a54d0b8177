package sabotage

import "github.com/myuser/db-operator/internal/sim"

// identityTable is how a member knows that it still is who it was.
var identityTable = []Sabotage{
	{
		Name: "new-volume-under-old-uid", From: "boot: identity",
		Rule: "an empty volume is a new member",
		Edits: []Edit{{"internal/sim/faults_data.go", `	p.engine.wipe()
	w.initialise(p.volume, p.ordinal)`, `	p.engine.wipe()
	if sabotaged("new-volume-under-old-uid") {
		w.tainted[p.volume.state.UID] = true
		p.volume.state = ha.Durable{UID: p.volume.state.UID, Claim: p.volume.state.Claim, Boot: p.volume.state.Boot}
	} else {
		w.initialise(p.volume, p.ordinal)
	}`}},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3, Faults: []sim.Aimed{{Kind: "wipe volume"}, {Kind: "kill agent"}, {Kind: "isolate"}}}, Seeds: 500,
	},
	{
		Name: "rolled-back-volume-counted", From: "messages: boots",
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
		}}, Seeds: 2000,
	},
	{
		Name: "claim-not-checked", From: "messages: volume under another claim",
		Rule: "a volume found under another claim becomes a new member before its first word",
		Edits: []Edit{{"internal/ha/trust.go", `	case t.o.Claim == t.Claim:
	case`, `	case t.o.Claim == t.Claim || sabotaged("claim-not-checked"):
	case`}},
		With:   []string{"rolled-back-volume-counted"},
		Breaks: "ABC", Conditions: sim.Conditions{Members: 3, Faults: []sim.Aimed{{Kind: "copy volume"}, {Kind: "isolate"}, {Kind: "lose power", Who: "the primary"}}}, Seeds: 2000,
	},
	{
		Name: "answers-of-other-boots-count", From: "messages: echo",
		Rule: "an answer counts only for the present boot of the leader",
		Edits: []Edit{{"internal/ha/peer.go", `a.Boot != t.Boot || a.Term != t.lead.term || a.Sent > t.now {`,
			`(a.Boot != t.Boot || a.Term != t.lead.term || a.Sent > t.now) && !sabotaged("answers-of-other-boots-count") {`}},
		Breaks: "AB", Conditions: sim.Conditions{Members: 3, Faults: []sim.Aimed{{Kind: "kill agent"}, {Kind: "lossy network"}, {Kind: "pause agent"}}}, Seeds: 2000,
	},
}
