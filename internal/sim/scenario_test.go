package sim

import "testing"

// The same scenarios break something as soon as the rule that each is about is
// not kept: package sabotage shows that.
func TestScenariosBreakNothing(t *testing.T) {
	sizes := map[string]int{
		"a claim is lost and the register is made anew":    2,
		"a learner falls behind while it is being counted": 2,
		"a learner follows and a member does not":          2,
		"a volume is copied to another member":             5,
		"the only member restarts after its rule grew":     1,
	}
	for name := range scenarios {
		t.Run(name, func(t *testing.T) {
			for _, f := range []flavour{timelines, sets} {
				for seed := range uint64(10) {
					c := Conditions{Members: 3, Policy: "degrade", Flavour: f.String()}
					if n := sizes[name]; n > 0 {
						c.Members = n
					}
					r, err := RunScenario(name, seed, c, nil)
					if err != nil {
						t.Fatal(err)
					}
					if r.Broken != "" {
						t.Errorf("%v, seed %d: %s", f, seed, r.Broken)
					}
				}
			}
		})
	}
}
