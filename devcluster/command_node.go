package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/myuser/db-operator/devcluster/cluster"
	"github.com/myuser/db-operator/devcluster/fault"
	"github.com/myuser/db-operator/devcluster/plan"
)

func init() {
	verbs["node"] = verb{
		usage: `node stop NODE
node start NODE
node cut NODE [--from api|peers|all|NODE,...] [--direction both|in|out]
node loss NODE PERCENT [--direction both|in|out]
node heal NODE
node drain NODE [--timeout DURATION]
node uncordon NODE`,
		help: "power a node off and on, part it from others, lose packets, mend that; evict its pods",
		run:  node,
	}
}

var nodeVerbs = map[string]func(context.Context, *tool, *cluster.Cluster, plan.Node, []string) error{
	"stop": stopNode, "start": startNode, "cut": cutNode, "loss": loseNode, "heal": healNode,
	"drain": drainNode, "uncordon": uncordonNode,
}

func node(ctx context.Context, t *tool, args []string) error {
	if len(args) < 2 || nodeVerbs[args[0]] == nil {
		return errUsage{"say what to do to which node"}
	}
	c, err := t.existing()
	if err != nil {
		return err
	}
	n, err := c.Node(args[1])
	if err != nil {
		return err
	}
	return nodeVerbs[args[0]](ctx, t, c, n, args[2:])
}

func stopNode(ctx context.Context, t *tool, _ *cluster.Cluster, n plan.Node, _ []string) error {
	return t.out.Step(n.Name()+" powered off: no process, no link", func() error { return fault.StopNode(ctx, n) })
}

func startNode(ctx context.Context, t *tool, c *cluster.Cluster, n plan.Node, _ []string) error {
	return t.out.Step(n.Name()+" powered on and serving", func() error { return fault.StartNode(ctx, c, n) })
}

func cutNode(ctx context.Context, t *tool, c *cluster.Cluster, n plan.Node, args []string) error {
	flags := newFlags("cut")
	from := flags.String("from", "all", "")
	direction := flags.String("direction", "both", "")
	if err := parseAll(flags, args); err != nil {
		return err
	}
	d, err := parseDirection(*direction)
	if err != nil {
		return err
	}
	var targets []fault.Target
	for name := range strings.SplitSeq(*from, ",") {
		switch name {
		case "all":
		case "api":
			targets = append(targets, fault.API())
		case "peers":
			targets = append(targets, peers(c, n)...)
		default:
			peer, err := c.Node(name)
			if err != nil {
				return err
			}
			if peer == n {
				return errUsage{"a node cannot be cut from itself"}
			}
			targets = append(targets, fault.Peer(peer))
		}
	}
	if *from != "all" && len(targets) == 0 {
		return errUsage{"there is no peer to cut from"}
	}
	what := fmt.Sprintf("%s cut from %s (%s): probes are lost", n.Name(), *from, d)
	return t.out.Step(what, func() error { return fault.CutNode(ctx, n, targets, others(c, n), d) })
}

func loseNode(ctx context.Context, t *tool, _ *cluster.Cluster, n plan.Node, args []string) error {
	if len(args) == 0 {
		return errUsage{"say how many percent of packets to lose"}
	}
	percent, err := strconv.Atoi(strings.TrimSuffix(args[0], "%"))
	if err != nil {
		return errUsage{fmt.Sprintf("%q is no percentage", args[0])}
	}
	flags := newFlags("loss")
	direction := flags.String("direction", "both", "")
	if err := parseAll(flags, args[1:]); err != nil {
		return err
	}
	d, err := parseDirection(*direction)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("%s loses %d %% of its packets (%s), measured", n.Name(), percent, d)
	return t.out.Step(what, func() error { return fault.LoseNode(ctx, n, percent, fault.API(), d) })
}

func healNode(ctx context.Context, t *tool, c *cluster.Cluster, n plan.Node, _ []string) error {
	powered := c.Processes.Alive(n.Process("kubelet"))
	return t.out.Step(n.Name()+" healed: probes arrive", func() error {
		return fault.HealNode(ctx, n, others(c, n), powered)
	})
}

func drainNode(ctx context.Context, t *tool, c *cluster.Cluster, n plan.Node, args []string) error {
	flags := newFlags("drain")
	timeout := flags.Duration("timeout", 5*time.Minute, "")
	if err := parseAll(flags, args); err != nil {
		return err
	}
	return t.out.Step(n.Name()+" drained: no pod left", func() error {
		return c.Drain(ctx, n, *timeout)
	})
}

func uncordonNode(ctx context.Context, t *tool, c *cluster.Cluster, n plan.Node, _ []string) error {
	return t.out.Step(n.Name()+" takes pods again", func() error { return c.Uncordon(ctx, n) })
}

func peers(c *cluster.Cluster, n plan.Node) []fault.Target {
	var targets []fault.Target
	for _, peer := range c.Nodes() {
		// A peer without power can neither be reached nor prove anything.
		if peer != n && c.Processes.Alive(peer.Process("kubelet")) {
			targets = append(targets, fault.Peer(peer))
		}
	}
	return targets
}

// others are all ends that a node can be proven to reach or not to reach. A
// peer that is cut itself proves nothing about this node.
func others(c *cluster.Cluster, n plan.Node) []fault.Target {
	targets := []fault.Target{fault.API()}
	for _, target := range peers(c, n) {
		if peer, err := c.Node(target.Name); err == nil && !fault.Disturbed(context.Background(), peer) {
			targets = append(targets, target)
		}
	}
	return targets
}

func parseDirection(text string) (fault.Direction, error) {
	switch d := fault.Direction(text); d {
	case fault.Both, fault.In, fault.Out:
		return d, nil
	default:
		return "", errUsage{fmt.Sprintf("a direction is both, in or out, not %q", text)}
	}
}

func newFlags(name string) *flag.FlagSet {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	return flags
}

// parseAll refuses what is no flag.
func parseAll(flags *flag.FlagSet, args []string) error {
	if err := flags.Parse(args); err != nil {
		return errUsage{err.Error()}
	}
	if flags.NArg() > 0 {
		return errUsage{fmt.Sprintf("what is %q?", flags.Arg(0))}
	}
	return nil
}

// signals are those that a server's failure can be played with.
var signals = map[string]syscall.Signal{
	"KILL": syscall.SIGKILL, "TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "QUIT": syscall.SIGQUIT,
	"SEGV": syscall.SIGSEGV, "STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT,
}
