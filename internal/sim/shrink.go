package sim

import "time"

// Shrink runs a seed that fails again and again, each time with one fault left
// out, until every fault that is left is needed for the same kind of failure.
// It returns the result of the smallest run and tells its story.
func Shrink(seed uint64, members int, tell func(at time.Duration, line string)) Result {
	p := planFor(seed, members)
	kind := broken(runPlan(p, nil))
	if kind == 0 {
		return runPlan(p, tell)
	}
	for size := len(p.faults) / 2; size >= 1; size /= 2 {
		p = leaveOut(p, size, kind)
	}
	return runPlan(leaveOut(p, 1, kind), tell)
}

// leaveOut does without every run of so many faults that the failure does not
// need.
func leaveOut(p plan, size int, kind byte) plan {
	return leaveOutWhile(p, size, func(q plan) bool { return broken(runPlan(q, nil)) == kind })
}

func leaveOutWhile(p plan, size int, fails func(plan) bool) plan {
	for i := 0; i+size <= len(p.faults); {
		smaller := p
		smaller.faults = append(append([]fault{}, p.faults[:i]...), p.faults[i+size:]...)
		if fails(smaller) {
			p = smaller
		} else {
			i++
		}
	}
	return p
}

// broken is the letter of the invariant that a run broke, 0 if it broke none.
func broken(r Result) byte {
	if r.Broken == "" {
		return 0
	}
	return r.Broken[0]
}
