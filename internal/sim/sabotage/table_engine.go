package sabotage

import "github.com/myuser/db-operator/internal/sim"

// engineTable is what a driver must do so that its engine keeps what the
// protocol believes of it. The rules are the simulated driver's own; only the
// first two are edits, since nobody can be told to disobey them.
var engineTable = append([]Sabotage{
	{
		Name: "learners-acknowledge", From: "Engines",
		Rule: "only members of the rule count when commits wait for acknowledgements",
		Edits: []Edit{{"internal/sim/engine_acks.go", `func (e *engine) counts(c *conn) bool {
`, `func (e *engine) counts(c *conn) bool {
	if sabotaged("learners-acknowledge") {
		return true
	}
`}},
		Breaks: "A", Conditions: sim.Conditions{Members: 2}, Seeds: 20, Scenario: "a learner follows and a member does not",
	},
	{
		Name: "sends-before-flush", From: "Engines",
		Rule: "followers get only what is flushed, so that no restart makes a primary's log shorter than theirs",
		Edits: []Edit{
			{"internal/sim/engine_stream.go", `	if !c.alive || c.flight || c.cursor == c.from.data.flushed {`, `	ready := c.from.data.flushed
	if sabotaged("sends-before-flush") {
		ready = c.from.data.log.length
	}
	if !c.alive || c.flight || c.cursor == ready {`},
			{"internal/sim/engine_stream.go", `	c.upTo = c.from.data.flushed`, `	c.upTo = ready`},
		},
		With:   []string{"incarnation-ignored-in-positions"},
		Breaks: "AD", Conditions: sim.Conditions{Members: 3, Flavour: "timelines"}, Seeds: 20, Scenario: "a tail of an earlier session of the term",
	},
}, engineRules(
	engineRule{name: "boots-as-standby", flavour: "timelines", breaks: "AB", seeds: 500},
	engineRule{name: "resumes-no-session"},
	engineRule{name: "kills-at-once", flavour: "sets", breaks: "AB", seeds: 3000},
	engineRule{name: "kills-every-process", flavour: "timelines", breaks: "B", seeds: 500},
	engineRule{name: "ends-receiver", flavour: "timelines", breaks: "A", seeds: 500},
	engineRule{name: "waits-for-end-of-log", flavour: "timelines", breaks: "A", seeds: 3000},
	engineRule{name: "binds-sessions", flavour: "timelines", breaks: "AD", seeds: 1500},
	engineRule{name: "binds-before-promoting"},
	engineRule{name: "clones-same-timeline"},
	engineRule{name: "checks-lineage"},
	engineRule{name: "pins-session"},
	engineRule{name: "tells-unfed", flavour: "timelines", breaks: "D", seeds: 500},
	engineRule{name: "compares-whole-entries"},
	engineRule{name: "keeps-minimum"},
	engineRule{name: "keeps-sentinel", flavour: "timelines", breaks: "A", seeds: 500},
	engineRule{name: "proves-rule", flavour: "timelines", breaks: "A", seeds: 3000},
	engineRule{name: "names-never-empty", flavour: "timelines", breaks: "A", seeds: 500},
	engineRule{name: "rule-before-write"},
	engineRule{name: "closes-before-promoting"},
	engineRule{name: "proves-gate"},
	engineRule{name: "slot-per-member"},
	engineRule{name: "raises-first", flavour: "sets", breaks: "A", seeds: 1500},
	engineRule{name: "lowers-last"},
	engineRule{name: "awaits-cut-off"},
	engineRule{name: "locks-out"},
	engineRule{name: "applies-before-change"},
	engineRule{name: "flushes-before-ack", flavour: "timelines", breaks: "A", seeds: 3000},
	engineRule{name: "takes-new-server"},
	engineRule{name: "kills-workers"},
	engineRule{name: "ends-blockers"},
	engineRule{name: "beats"},
	engineRule{name: "subtracts-errant"},
)...)

// engineRule is a sabotage of the simulated driver, in short. Without breaks,
// seeds find it too rarely: it is caught in the driver's own test.
type engineRule struct {
	name, flavour, breaks string
	seeds                 int
}

func engineRules(rules ...engineRule) []Sabotage {
	asks := sim.EngineRules()
	table := make([]Sabotage, 0, len(rules))
	for _, r := range rules {
		table = append(table, Sabotage{
			Name: r.name, Rule: asks[r.name], From: "Engines", Disobeyed: r.name, Breaks: r.breaks, Seeds: r.seeds,
			Conditions: sim.Conditions{Members: 4, Flavour: r.flavour, Faults: turnover}, Alone: r.breaks == "",
		})
	}
	return table
}
