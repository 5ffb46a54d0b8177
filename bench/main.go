package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"
)

// bench is one measurement; one that is only run when named is not part of all.
type bench struct {
	name  string
	run   func(ctx context.Context, c *cluster, o options) ([]result, error)
	named bool
}

// benches in the order in which they run: those that want a quiet machine and
// no other Database first.
var benches = []bench{
	{name: "size", run: benchSize},
	{name: "create", run: benchCreate},
	{name: "throughput", run: benchThroughput},
	{name: "idle", run: benchIdle},
	{name: "devcluster", run: benchDevcluster},
	{name: "cold", run: benchCold, named: true},
}

// options are how long to measure; the defaults are what the page is made of.
type options struct {
	runs     int
	pairs    int
	duration time.Duration
	many     int
	// settle is how long idle Databases rest before the counting begins,
	// counted how long it goes on.
	settle, counted time.Duration
	// only names the one engine to measure; empty for all.
	only string
}

func (o options) engines() []engineBench {
	return slices.DeleteFunc(slices.Clone(engines), func(e engineBench) bool { return o.only != "" && e.name != o.only })
}

func main() {
	var o options
	onlyRender := flag.Bool("render", false, "only remake the page from the result files")
	flag.IntVar(&o.runs, "runs", 5, "observations of create and devcluster")
	flag.IntVar(&o.pairs, "pairs", 5, "alternating pairs of throughput")
	flag.DurationVar(&o.duration, "duration", time.Minute, "length of one throughput run, in two halves")
	flag.IntVar(&o.many, "many", 50, "Databases in the idle bench")
	flag.DurationVar(&o.settle, "settle", time.Minute, "rest before the idle bench counts")
	flag.DurationVar(&o.counted, "counted", 3*time.Minute, "how long the idle bench counts")
	flag.StringVar(&o.only, "engine", "", "the only engine that create and throughput measure; both if empty")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *onlyRender, o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, onlyRender bool, o options, names []string) error {
	if onlyRender {
		return render()
	}
	for _, name := range names {
		if !slices.ContainsFunc(benches, func(b bench) bool { return b.name == name }) {
			return fmt.Errorf("there is no bench %q", name)
		}
	}
	c, err := connect()
	if err != nil {
		return err
	}
	for _, b := range benches {
		if len(names) == 0 && b.named || len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		fmt.Printf("== %s\n", b.name)
		figures, err := b.run(ctx, c, o)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		if err := record(b.name, figures...); err != nil {
			return err
		}
	}
	return render()
}
