// saboteur runs the simulator for one sabotage, seed by seed until an invariant
// is broken, or in the scenario that is made for it. Built as it stands it has
// nothing broken; package sabotage builds it with every edit of its table, and
// the environment says which of them are at work.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/sim"
	"github.com/myuser/db-operator/internal/sim/exhaustive"
	"github.com/myuser/db-operator/internal/sim/sabotage"
)

func main() {
	name := flag.String("case", "", "the sabotage whose conditions are to be")
	first := flag.Uint64("seed0", 1, "the first seed")
	seeds := flag.Int("seeds", 0, "how many seeds to try; 0: as many as the table says")
	search := flag.Bool("search", false, "search all runs of two members with two deviations instead")
	story := flag.Bool("story", false, "tell the story of the first seed, or of the scenario, and stop")
	flag.Parse()
	var err error
	if *search {
		err = searchAll()
	} else {
		err = run(*name, *first, *seeds, *story)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "saboteur:", err)
		os.Exit(1)
	}
}

func run(name string, first uint64, seeds int, story bool) error {
	s, err := sabotage.Of(name)
	if err != nil {
		return err
	}
	var broken []string
	if names := os.Getenv(sabotage.Environment); names != "" {
		broken = strings.Split(names, ",")
	}
	conditions, err := s.Case(broken)
	if err != nil {
		return err
	}
	if seeds == 0 {
		seeds = s.Seeds
	}
	var tell func(time.Duration, string)
	if story {
		tell, seeds = sim.Teller(os.Stdout), 1
	}
	var o sabotage.Outcome
	begun := time.Now()
	for i := range seeds {
		var r sim.Result
		if s.Scenario != "" {
			r, err = sim.RunScenario(s.Scenario, first+uint64(i), conditions, tell)
		} else {
			r, err = sim.RunUnder(first+uint64(i), conditions, tell)
		}
		if err != nil {
			return err
		}
		o.Seeds++
		o.Last = r.Seed
		if strings.HasPrefix(r.Broken, "scenario") {
			return errors.New(r.Broken)
		}
		if r.Broken != "" && strings.Contains(s.Breaks, r.Broken[:1]) {
			o.Broken = r.Broken
			break
		}
	}
	o.Seconds = time.Since(begun).Seconds()
	return json.NewEncoder(os.Stdout).Encode(o)
}

// searchAll is the exhaustive search with whatever is broken.
func searchAll() error {
	begun := time.Now()
	found, err := exhaustive.Search(exhaustive.Bounds{Members: 2, Ticks: 14, Deviations: 2})
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(sabotage.Outcome{
		Seeds: found.Runs, Broken: found.Broken, Seconds: time.Since(begun).Seconds(),
	})
}
