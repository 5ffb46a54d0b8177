// simulate runs many seeds of the simulator in internal/sim and says what came
// of them. A seed that breaks an invariant is shrunk and told as a story.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/pprof"

	"github.com/myuser/db-operator/internal/sim"
)

func main() {
	var (
		seeds   = flag.Int("seeds", 1000, "how many seeds to run")
		first   = flag.Uint64("seed0", 1, "the first seed")
		members = flag.String("members", "", "only Databases of so many members, as in 3 or 2-5; empty: 1-5")
		out     = flag.String("out", "", "file of the ranges that were run clean; those it names are not run again")
		story   = flag.Uint64("story", 0, "tell the story of this seed and do nothing else")
		shrink  = flag.Bool("shrink", true, "leave faults out of a failing seed as long as it fails")
		all     = flag.Bool("all", false, "go on after a failure")
		workers = flag.Int("workers", 0, "how many seeds to run at once; 0: one for each processor")
		profile = flag.String("cpuprofile", "", "file to write a profile to")
	)
	flag.Parse()
	// A seed's world is small and short-lived: collecting seldom saves a third
	// of the time, and costs little memory.
	debug.SetGCPercent(2000)
	debug.SetMemoryLimit(512 << 20)
	if err := run(options{*seeds, *first, *members, *out, *story, *shrink, *all, *workers}, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "simulate:", err)
		os.Exit(1)
	}
}

func run(o options, profile string) error {
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return fmt.Errorf("creating profile: %w", err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return fmt.Errorf("starting profile: %w", err)
		}
		defer pprof.StopCPUProfile()
	}
	low, high, err := sizes(o.members)
	if err != nil {
		return err
	}
	if o.story != 0 {
		only := 0
		if low == high {
			only = low
		}
		r := tellOne(o.story, only, o.shrink)
		fmt.Printf("%+v\n", r)
		return nil
	}
	return runAll(o, low, high)
}

// tellOne tells the story of one seed.
func tellOne(seed uint64, members int, shrink bool) sim.Result {
	tell := sim.Teller(os.Stdout)
	if shrink {
		return sim.Shrink(seed, members, tell)
	}
	return sim.Run(seed, members, tell)
}
