package main

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/sim"
)

// options as they were given.
type options struct {
	seeds   int
	seed0   uint64
	members string
	out     string
	story   uint64
	shrink  bool
	all     bool
	workers int
}

// rangeSize is how many seeds are run between two notes in the file.
const rangeSize = 1000

// sizes reads "3" or "2-5".
func sizes(text string) (low, high int, err error) {
	if text == "" {
		return 1, ha.MaxMembers, nil
	}
	first, last, isRange := strings.Cut(text, "-")
	if !isRange {
		last = first
	}
	low, err1 := strconv.Atoi(first)
	high, err2 := strconv.Atoi(last)
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, fmt.Errorf("reading members: %w", err)
	}
	if low < 1 || high > ha.MaxMembers || low > high {
		return 0, 0, fmt.Errorf("members %s is not within 1-%d", text, ha.MaxMembers)
	}
	return low, high, nil
}

// sizeOf is how many members a seed has: seeds go through the sizes in turn.
func sizeOf(seed uint64, low, high int) int { return low + int(seed%uint64(high-low+1)) }

// runAll runs the seeds range by range.
func runAll(o options, low, high int) error {
	done, err := readDone(o.out)
	if err != nil {
		return err
	}
	total, before := newTally(), newTally()
	begun, cpu := time.Now(), processorTime()
	for first := o.seed0; first < o.seed0+uint64(o.seeds); first += rangeSize {
		last := min(first+rangeSize, o.seed0+uint64(o.seeds)) - 1
		name := fmt.Sprintf("%d-%d of %d-%d", first, last, low, high)
		if part, ok := done[name]; ok {
			before.add(part)
			continue
		}
		part := runRange(first, last, low, high, o.workers, o.all)
		total.add(part)
		if len(part.failures) == 0 {
			if err := noteDone(o.out, name, part); err != nil {
				return err
			}
		} else if !o.all {
			break
		}
	}
	if before.Seeds > 0 {
		fmt.Printf("run clean before: %d seeds with %d faults\n", before.Seeds, before.Faults)
	}
	total.print(time.Since(begun), processorTime()-cpu)
	if len(total.failures) == 0 {
		return nil
	}
	worst := total.failures[0]
	fmt.Printf("\nthe story of seed %d with %d members:\n", worst.Seed, worst.Members)
	tellOne(worst.Seed, worst.Members, o.shrink)
	return fmt.Errorf("%d of %d seeds broke an invariant", len(total.failures), total.Seeds)
}

// runRange runs the seeds from first to last, several at once.
func runRange(first, last uint64, low, high, workers int, all bool) *tally {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next := atomic.Uint64{}
	next.Store(first)
	stop := atomic.Bool{}
	tallies := make([]*tally, workers)
	var wait sync.WaitGroup
	for i := range workers {
		tallies[i] = newTally()
		wait.Go(func() {
			for !stop.Load() {
				seed := next.Add(1) - 1
				if seed > last {
					return
				}
				r := sim.Run(seed, sizeOf(seed, low, high), nil)
				tallies[i].count(r)
				if r.Broken != "" && !all {
					stop.Store(true)
				}
			}
		})
	}
	wait.Wait()
	sum := newTally()
	for _, t := range tallies {
		sum.add(t)
	}
	return sum
}
