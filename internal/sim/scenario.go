package sim

import (
	"fmt"
	"time"
)

// scenarios are worlds in which one thing is made to happen, for what seeds
// find too rarely. Each must end without a violation while all rules are kept.
var scenarios = map[string]func(w *world){}

// RunScenario runs a scenario under conditions, to the end of faults and, unless
// the conditions are brief, to rest.
func RunScenario(name string, c Conditions, tell func(at time.Duration, line string)) (Result, error) {
	act, known := scenarios[name]
	if !known {
		return Result{}, fmt.Errorf("no scenario is called %q", name)
	}
	p := plan{seed: 1, members: c.Members, profile: "fast", brief: c.Brief}
	if err := c.shape(&p); err != nil {
		return Result{}, err
	}
	w := newWorld(p.seed)
	w.tell = tell
	w.begin(p)
	act(w)
	if !w.halted && !p.brief {
		w.calmDown()
	}
	return w.result(), nil
}
