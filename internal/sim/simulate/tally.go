package main

import (
	"fmt"
	"sort"
	"syscall"
	"time"

	"github.com/myuser/db-operator/internal/sim"
)

// tally counts results.
type tally struct {
	Seeds, Faults, Answered, Opens, Writes int
	Virtual                                time.Duration
	Kinds                                  map[string]int // seeds by size, policy and flavour
	failures                               []sim.Result
}

func newTally() *tally { return &tally{Kinds: map[string]int{}} }

func (t *tally) count(r sim.Result) {
	t.Seeds++
	t.Faults += r.Faults
	t.Answered += r.Answered
	t.Opens += r.Opens
	t.Writes += r.Writes
	t.Virtual += r.Until
	policy := "degrade"
	if r.Block {
		policy = "block"
	}
	t.Kinds[fmt.Sprintf("%d members, %s, %s", r.Members, policy, r.Flavour)]++
	if r.Broken != "" {
		t.failures = append(t.failures, r)
	}
}

func (t *tally) add(o *tally) {
	t.Seeds += o.Seeds
	t.Faults += o.Faults
	t.Answered += o.Answered
	t.Opens += o.Opens
	t.Writes += o.Writes
	t.Virtual += o.Virtual
	for k, n := range o.Kinds {
		t.Kinds[k] += n
	}
	t.failures = append(t.failures, o.failures...)
}

func (t *tally) print(took, cpu time.Duration) {
	if t.Seeds == 0 {
		fmt.Println("no seed was left to run")
		return
	}
	names := make([]string, 0, len(t.Kinds))
	for k := range t.Kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Printf("%-32s %8d seeds\n", k, t.Kinds[k])
	}
	n := float64(t.Seeds)
	fmt.Printf("%d seeds, %d broke an invariant; in each %.0f virtual seconds, %.1f faults, %.0f writes answered, %.1f gates opened, %.1f writes of the register\n",
		t.Seeds, len(t.failures), t.Virtual.Seconds()/n, float64(t.Faults)/n, float64(t.Answered)/n, float64(t.Opens)/n, float64(t.Writes)/n)
	fmt.Printf("%.0f seeds a second, %.2f ms of CPU each\n", n/took.Seconds(), cpu.Seconds()*1000/n)
	sort.Slice(t.failures, func(i, j int) bool { return t.failures[i].Seed < t.failures[j].Seed })
	for i, f := range t.failures {
		if i == 40 {
			fmt.Println("and more")
			break
		}
		fmt.Printf("seed %d, %d members, block %v, %s, at %.1f s: %s\n", f.Seed, f.Members, f.Block, f.Flavour, f.At.Seconds(), f.Broken)
	}
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
