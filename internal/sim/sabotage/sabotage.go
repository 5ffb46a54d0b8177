package sabotage

import (
	"fmt"
	"slices"

	"github.com/myuser/db-operator/internal/sim"
)

// Sabotage is one rule switched off.
type Sabotage struct {
	Name string
	Rule string // the rule, as it is when nobody sabotages it
	From string // the paragraph of docs/ha.md that gives it; Engines: docs/adding-an-engine.md

	Edits     []Edit
	Disobeyed string // or: the engine rule
	// With are sabotages that must be at work as well, because each rule alone
	// covers for the other: neither alone may be caught.
	With []string

	// Breaks are the letters of the invariants, one of which must be broken.
	Breaks string
	// Conditions are those under which it shows soonest.
	Conditions sim.Conditions
	Seeds      int    // within which it must be caught
	Scenario   string // or: what is made for it
	// Alone: it is shown by the test of the driver's rules in package sim,
	// which has engines and no agents, and is not run here.
	Alone bool
}

// Edit is one change of a source file. Old stands there exactly once.
type Edit struct{ File, Old, New string }

// Table is all sabotages.
func Table() []Sabotage {
	return slices.Concat(failoverTable, leaderTable, changeTable, identityTable, engineTable)
}

// Of is the sabotage with a name.
func Of(name string) (Sabotage, error) {
	for _, s := range Table() {
		if s.Name == name {
			return s, nil
		}
	}
	return Sabotage{}, fmt.Errorf("no sabotage is called %q", name)
}

// Names are those that the environment is to break for s.
func (s Sabotage) Names() []string { return append([]string{s.Name}, s.With...) }

// Case says how s is to be run, with these names broken: engine rules are not
// edits, so they go by the conditions.
func (s Sabotage) Case(names []string) (sim.Conditions, error) {
	c := s.Conditions
	for _, name := range names {
		other, err := Of(name)
		if err != nil {
			return c, err
		}
		if other.Disobeyed != "" {
			c.Disobeyed = append(slices.Clone(c.Disobeyed), other.Disobeyed)
		}
	}
	c.Brief = !slices.ContainsFunc([]byte(s.Breaks), func(letter byte) bool { return letter == 'D' || letter == 'E' })
	return c, nil
}
