package sim

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// Conditions narrow what a seed means, for tests that look for one thing.
type Conditions struct {
	Members   int           // 0: what the seed says
	Policy    string        // block or degrade; empty: what the seed says
	Flavour   string        // timelines or sets; empty: what the seed says
	Disobeyed []string      // engine rules that the drivers do not keep to
	Faults    []Aimed       // most faults are one of these
	Count     int           // of faults, where Faults are given; 0: 12
	Span      time.Duration // in which these strike; 0: 20 s
	Brief     bool          // D and E are not looked for
}

// Aimed is a fault by its name, that of whom it hits, and that of the moment it
// waits for. Empty names leave that to the seed; the moment "-" is none.
type Aimed struct {
	Kind, Who, Moment string
	Lasts             time.Duration // at most, and half of it at least; 0: what the seed says
}

var whoNames = []string{anybody: "anybody", thePrimary: "the primary", aFollower: "a follower", whoeverAims: "whose moment it is"}

// RunUnder runs one seed under conditions. An unknown name is an error.
func RunUnder(seed uint64, c Conditions, tell func(at time.Duration, line string)) (Result, error) {
	p, err := c.plan(seed)
	if err != nil {
		return Result{}, err
	}
	return runPlan(p, tell), nil
}

// plan is that of the seed with the conditions put upon it.
func (c Conditions) plan(seed uint64) (plan, error) {
	p := planFor(seed, c.Members)
	p.brief = c.Brief
	if err := c.shape(&p); err != nil {
		return plan{}, err
	}
	if len(c.Faults) == 0 {
		return p, nil
	}
	rng := rand.New(rand.NewPCG(seed, 0xa24baed4963ee407))
	from := 5 * time.Second
	p.quiet = from + cmp.Or(c.Span, 20*time.Second)
	p.faults = nil
	for range cmp.Or(c.Count, 12) {
		f := drawFault(rng, from, p.quiet)
		if rng.IntN(4) > 0 {
			if err := c.Faults[rng.IntN(len(c.Faults))].aim(rng, &f); err != nil {
				return plan{}, err
			}
		}
		p.faults = append(p.faults, f)
	}
	slices.SortStableFunc(p.faults, func(a, b fault) int { return int(a.at - b.at) })
	return p, nil
}

// shape makes the Database of a plan the one that is wanted.
func (c Conditions) shape(p *plan) error {
	switch c.Policy {
	case "":
	case "block", "degrade":
		p.block = c.Policy == "block"
	default:
		return fmt.Errorf("no policy is called %q", c.Policy)
	}
	switch c.Flavour {
	case "":
	case timelines.String(), sets.String():
		p.flavour = timelines
		if c.Flavour == sets.String() {
			p.flavour = sets
		}
	default:
		return fmt.Errorf("no flavour is called %q", c.Flavour)
	}
	for _, name := range c.Disobeyed {
		rule, known := engineRuleOf(name)
		if !known {
			return fmt.Errorf("no engine rule is called %q", name)
		}
		p.options.engine = p.options.engine.without(rule)
	}
	return nil
}

// aim makes a fault the one that is named.
func (a Aimed) aim(rng *rand.Rand, f *fault) error {
	f.kind = slices.IndexFunc(kinds, func(k kind) bool { return k.name == a.Kind })
	if f.kind < 0 {
		return fmt.Errorf("no fault is called %q", a.Kind)
	}
	if a.Lasts > 0 {
		f.lasts = a.Lasts/2 + time.Duration(rng.Int64N(int64(a.Lasts/2)))
	}
	if a.Who != "" {
		f.who = who(slices.Index(whoNames, a.Who))
		if f.who < 0 {
			return fmt.Errorf("nobody is called %q", a.Who)
		}
	}
	switch a.Moment {
	case "":
	case "-":
		f.aim = 0
	default:
		if f.aim = slices.IndexFunc(aims, func(m aim) bool { return m.name == a.Moment }); f.aim < 0 {
			return fmt.Errorf("no moment is called %q", a.Moment)
		}
	}
	return nil
}

// EngineRules are the names of all engine rules, with what each asks.
func EngineRules() map[string]string {
	all := make(map[string]string, len(engineRuleNames))
	for _, r := range engineRuleNames {
		all[r.name] = r.asks
	}
	return all
}

func engineRuleOf(name string) (engineRule, bool) {
	for r := range engineRules {
		if r.String() == name {
			return r, true
		}
	}
	return 0, false
}
