package sabotage

import "github.com/myuser/db-operator/internal/sim"

// engineTable is what a driver must do so that its engine keeps what the
// protocol believes of it. The rules are the simulated driver's own; only the
// first is an edit, since nobody can be told to forget who is in a rule.
var engineTable = append([]Sabotage{
	{
		Name: "learners-acknowledge", From: "engines: rule in force",
		Rule: "only members of the rule count when commits wait for acknowledgements",
		Edits: []Edit{{"internal/sim/engine_acks.go", `func (e *engine) counts(c *conn) bool {
`, `func (e *engine) counts(c *conn) bool {
	if sabotaged("learners-acknowledge") {
		return true
	}
`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 3}, Seeds: 500,
	},
}, engineRules(
	engineRule{name: "boots-as-standby", flavour: "timelines", breaks: "AB", seeds: 200},
	engineRule{name: "resumes-no-session", flavour: "timelines", breaks: "ABC", seeds: 500},
	engineRule{name: "kills-at-once", flavour: "sets", breaks: "AB", seeds: 500},
	engineRule{name: "kills-every-process", flavour: "timelines", breaks: "B", seeds: 500},
	engineRule{name: "ends-receiver", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "waits-for-end-of-log", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "binds-sessions", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "binds-before-promoting", flavour: "timelines", breaks: "AD", seeds: 1000},
	engineRule{name: "clones-same-timeline", flavour: "timelines", breaks: "AD", seeds: 1000},
	engineRule{name: "checks-lineage", flavour: "sets", breaks: "AD", seeds: 1000},
	engineRule{name: "pins-session", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "tells-unfed", flavour: "timelines", breaks: "D", seeds: 500},
	engineRule{name: "compares-whole-entries", flavour: "timelines", breaks: "D", seeds: 500},
	engineRule{name: "keeps-minimum", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "keeps-sentinel", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "proves-rule", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "names-never-empty", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "rule-before-write", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "closes-before-promoting", flavour: "timelines", breaks: "B", seeds: 1000},
	engineRule{name: "proves-gate", flavour: "timelines", breaks: "AB", seeds: 1000},
	engineRule{name: "slot-per-member", flavour: "timelines", breaks: "A", seeds: 1000},
	engineRule{name: "raises-first", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "lowers-last", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "awaits-cut-off", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "locks-out", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "applies-before-change", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "flushes-before-ack", flavour: "timelines", breaks: "A", seeds: 200},
	engineRule{name: "takes-new-server", flavour: "sets", breaks: "A", seeds: 1000},
	engineRule{name: "kills-workers", flavour: "sets", breaks: "D", seeds: 500},
	engineRule{name: "ends-blockers", flavour: "timelines", breaks: "D", seeds: 500},
	engineRule{name: "beats", flavour: "sets", breaks: "D", seeds: 500},
	engineRule{name: "subtracts-errant", flavour: "sets", breaks: "AD", seeds: 500},
)...)

// engineRule is a sabotage of the simulated driver, in short.
type engineRule struct {
	name, flavour, breaks string
	members, seeds        int
	policy                string
	faults                []sim.Aimed
	scenario              string
	with                  []string
}

func engineRules(rules ...engineRule) []Sabotage {
	asks := sim.EngineRules()
	table := make([]Sabotage, 0, len(rules))
	for _, r := range rules {
		if r.members == 0 {
			r.members = 3
		}
		table = append(table, Sabotage{
			Name: r.name, Rule: asks[r.name], From: "engines", Disobeyed: r.name, With: r.with, Breaks: r.breaks,
			Conditions: sim.Conditions{Members: r.members, Policy: r.policy, Flavour: r.flavour, Faults: r.faults},
			Seeds:      r.seeds, Scenario: r.scenario,
		})
	}
	return table
}
