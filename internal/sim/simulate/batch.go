package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
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
	total := newTally()
	begun, cpu := time.Now(), processorTime()
	for first := o.seed0; first < o.seed0+uint64(o.seeds); first += rangeSize {
		last := min(first+rangeSize, o.seed0+uint64(o.seeds)) - 1
		name := fmt.Sprintf("%d-%d of %d-%d", first, last, low, high)
		if done[name] {
			continue
		}
		part := runRange(first, last, low, high, o.workers, o.all)
		total.add(part)
		if len(part.failures) == 0 {
			if err := noteDone(o.out, name); err != nil {
				return err
			}
		} else if !o.all {
			break
		}
	}
	total.print(time.Since(begun), processorTime()-cpu)
	if len(total.failures) == 0 {
		return nil
	}
	worst := total.failures[0]
	fmt.Printf("\nthe story of seed %d with %d members:\n", worst.Seed, worst.Members)
	tellOne(worst.Seed, worst.Members, o.shrink)
	return fmt.Errorf("%d of %d seeds broke an invariant", len(total.failures), total.seeds)
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

// readDone reads the ranges that were run clean before.
func readDone(file string) (map[string]bool, error) {
	done := map[string]bool{}
	if file == "" {
		return done, nil
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading ranges: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		done[strings.TrimSpace(line)] = true
	}
	return done, nil
}

// noteDone adds a range to the file.
func noteDone(file, name string) error {
	if file == "" {
		return nil
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting range: %w", err)
	}
	_, err = fmt.Fprintln(f, name)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("noting range: %w", err)
	}
	return nil
}

// tally counts results.
type tally struct {
	seeds, faults, answered, opens, writes int
	virtual                                time.Duration
	kinds                                  map[string]int
	failures                               []sim.Result
}

func newTally() *tally { return &tally{kinds: map[string]int{}} }

func (t *tally) count(r sim.Result) {
	t.seeds++
	t.faults += r.Faults
	t.answered += r.Answered
	t.opens += r.Opens
	t.writes += r.Writes
	t.virtual += r.Until
	policy := "degrade"
	if r.Block {
		policy = "block"
	}
	t.kinds[fmt.Sprintf("%d members, %s, %s", r.Members, policy, r.Flavour)]++
	if r.Broken != "" {
		t.failures = append(t.failures, r)
	}
}

func (t *tally) add(o *tally) {
	t.seeds += o.seeds
	t.faults += o.faults
	t.answered += o.answered
	t.opens += o.opens
	t.writes += o.writes
	t.virtual += o.virtual
	for k, n := range o.kinds {
		t.kinds[k] += n
	}
	t.failures = append(t.failures, o.failures...)
}

func (t *tally) print(took, cpu time.Duration) {
	if t.seeds == 0 {
		fmt.Println("no seed was left to run")
		return
	}
	names := make([]string, 0, len(t.kinds))
	for k := range t.kinds {
		names = append(names, k)
	}
	sort.Strings(names)
	for _, k := range names {
		fmt.Printf("%-32s %8d seeds\n", k, t.kinds[k])
	}
	n := float64(t.seeds)
	fmt.Printf("%d seeds, %d broke an invariant; in each %.0f virtual seconds, %.1f faults, %.0f writes answered, %.1f gates opened, %.1f writes of the register\n",
		t.seeds, len(t.failures), t.virtual.Seconds()/n, float64(t.faults)/n, float64(t.answered)/n, float64(t.opens)/n, float64(t.writes)/n)
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
