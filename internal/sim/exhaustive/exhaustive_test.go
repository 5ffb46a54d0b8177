package exhaustive

import (
	"flag"
	"testing"
	"time"
)

// Larger bounds than those of the tests, for a person with time.
var (
	members    = flag.Int("members", 0, "search this many members only")
	block      = flag.Bool("block", false, "of which two are always to hold the data")
	ticks      = flag.Int("ticks", 20, "length of a run")
	deviations = flag.Int("deviations", 2, "what goes wrong in a run, at most")
)

func TestEveryRunWithinBounds(t *testing.T) {
	searches := map[string]Bounds{
		"two members, two deviations":            {Members: 2, Ticks: 16, Deviations: 2},
		"two members that block, two deviations": {Members: 2, Ticks: 16, Deviations: 2, Block: true},
		"three members, one deviation, long":     {Members: 3, Ticks: 30, Deviations: 1},
		"three members, two deviations, short":   {Members: 3, Ticks: 12, Deviations: 2},
	}
	if *members > 0 {
		searches = map[string]Bounds{"as asked": {Members: *members, Ticks: *ticks, Deviations: *deviations, Block: *block}}
	}
	for name, b := range searches {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			found, err := Search(b)
			if err != nil {
				t.Fatal(err)
			}
			if found.Broken != "" {
				t.Fatal(found)
			}
			t.Logf("%v in %v", found, time.Since(begun).Round(time.Millisecond))
		})
	}
}
