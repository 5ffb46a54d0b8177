package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/myuser/db-operator/devcluster/netns"
	"github.com/myuser/db-operator/devcluster/plan"
)

// Tables of the packet filter in a node's namespace.
const (
	cutTable  = "devcluster_cut"
	lossTable = "devcluster_loss"
)

// Direction says which packets a fault hits, seen from the node.
type Direction string

// Directions.
const (
	Both Direction = "both"
	In   Direction = "in"  // packets to the node are lost, those from it arrive
	Out  Direction = "out" // packets from the node are lost, those to it arrive
)

// A Target is an end of the network that a node may be cut from.
type Target struct {
	Name      string
	Addresses []string // of the end and of its pods; none means everything
	ip        string   // to which a probe is sent
	netns     string   // "" is the machine's own
}

// API is the host: API server, DNS and whoever tests from there.
func API() Target {
	return Target{
		Name: "api", Addresses: []string{plan.HostIPv4, plan.HostIPv6},
		ip: plan.HostIPv4,
	}
}

// Peer is another node with its pods.
func Peer(n plan.Node) Target {
	return Target{
		Name: n.Name(), Addresses: []string{n.IPv4(), n.PodsIPv4(), n.IPv6(), n.PodsIPv6()},
		ip: n.IPv4(), netns: n.Netns(),
	}
}

// CutNode loses every packet between the node (with its pods) and the targets,
// in the given direction, from now on; connections that exist go silent. Inside
// the node all still reach each other. No targets mean everything outside the
// node. It replaces an earlier cut. It returns when probes have been lost.
// All is what to probe then.
func CutNode(ctx context.Context, n plan.Node, targets, all []Target, direction Direction) error {
	if _, err := netns.Run(ctx, n.Netns(), cutRules(targets, direction), "nft", "-f", "-"); err != nil {
		return fmt.Errorf("cutting %s: %w", n.Name(), err)
	}
	if len(targets) == 0 {
		targets = all
	}
	var failed error
	for _, target := range targets {
		failed = errors.Join(failed, proveCut(ctx, n, target, direction))
	}
	return failed
}

// cutRules drops packets where their addresses are those on the wire: before
// translation when they come in, after it when they go out.
func cutRules(targets []Target, direction Direction) string {
	in, out := []string{`iifname "eth0" drop`}, []string{`oifname "eth0" drop`}
	if len(targets) > 0 {
		var v4, v6 []string
		for _, target := range targets {
			for _, address := range target.Addresses {
				if strings.Contains(address, ":") {
					v6 = append(v6, address)
				} else {
					v4 = append(v4, address)
				}
			}
		}
		list4, list6 := strings.Join(v4, ", "), strings.Join(v6, ", ")
		in = []string{
			fmt.Sprintf(`iifname "eth0" ip saddr { %s } drop`, list4),
			fmt.Sprintf(`iifname "eth0" ip6 saddr { %s } drop`, list6),
		}
		out = []string{
			fmt.Sprintf(`oifname "eth0" ip daddr { %s } drop`, list4),
			fmt.Sprintf(`oifname "eth0" ip6 daddr { %s } drop`, list6),
		}
	}
	return ruleset(cutTable, in, out, direction)
}

// LoseNode loses the given share of packets to and from the node at random,
// each direction by itself. It replaces an earlier loss. It returns when the
// share has been measured between the node and the target.
func LoseNode(ctx context.Context, n plan.Node, percent int, target Target, direction Direction) error {
	if percent < 1 || percent > 100 {
		return fmt.Errorf("a loss is 1 to 100 percent, not %d", percent)
	}
	random := fmt.Sprintf("numgen random mod 100 < %d drop", percent)
	rules := ruleset(lossTable, []string{`iifname "eth0" ` + random}, []string{`oifname "eth0" ` + random}, direction)
	if _, err := netns.Run(ctx, n.Netns(), rules, "nft", "-f", "-"); err != nil {
		return fmt.Errorf("losing packets of %s: %w", n.Name(), err)
	}
	return proveLoss(ctx, n, percent, target, direction)
}

// HealNode ends a cut and a loss. It returns when probes arrive both ways. A
// node that is powered off is healed without proof. It is idempotent.
func HealNode(ctx context.Context, n plan.Node, all []Target, powered bool) error {
	var script strings.Builder
	for _, table := range []string{cutTable, lossTable} {
		// Deleting needs a table: make it first where there is none.
		fmt.Fprintf(&script, "table inet %s\ndelete table inet %s\n", table, table)
	}
	if _, err := netns.Run(ctx, n.Netns(), script.String(), "nft", "-f", "-"); err != nil {
		return fmt.Errorf("healing %s: %w", n.Name(), err)
	}
	if !powered {
		return nil
	}
	var failed error
	for _, target := range all {
		failed = errors.Join(failed, proveHealed(ctx, n, target))
	}
	return failed
}

func ruleset(table string, in, out []string, direction Direction) string {
	var script strings.Builder
	fmt.Fprintf(&script, "table inet %s\ndelete table inet %s\ntable inet %s {\n", table, table, table)
	chain := func(name, hook string, rules []string) {
		fmt.Fprintf(&script, "  chain %s {\n    type filter hook %s priority -300;\n", name, hook)
		for _, rule := range rules {
			fmt.Fprintf(&script, "    %s\n", rule)
		}
		script.WriteString("  }\n")
	}
	if direction != Out {
		chain("in", "prerouting", in)
	}
	if direction != In {
		chain("out", "postrouting", out)
	}
	script.WriteString("}\n")
	return script.String()
}

// Disturbed tells whether any packets of the node are dropped on purpose.
func Disturbed(ctx context.Context, n plan.Node) bool {
	tables, err := netns.Run(ctx, n.Netns(), "", "nft", "list", "tables")
	return err == nil && (strings.Contains(tables, cutTable) || strings.Contains(tables, lossTable))
}
