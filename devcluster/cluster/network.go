package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/myuser/db-operator/devcluster/netns"
	"github.com/myuser/db-operator/devcluster/plan"
)

// hostSysctls are needed in the machine's own namespace. `down` restores them.
var hostSysctls = map[string]string{
	"net/ipv4/ip_forward":          "1",
	"net/ipv6/conf/all/forwarding": "1",
	// New pod namespaces take IPv6 settings from their node's namespace:
	// without duplicate address detection, which costs each pod a second.
	"net/core/devconf_inherit_init_net": "3",
}

var nodeSysctls = map[string]string{
	"net/ipv4/ip_forward":                 "1",
	"net/ipv4/conf/all/rp_filter":         "0",
	"net/ipv4/conf/default/rp_filter":     "0",
	"net/ipv6/conf/all/forwarding":        "1",
	"net/ipv6/conf/all/accept_dad":        "0",
	"net/ipv6/conf/default/accept_dad":    "0",
	"net/ipv6/conf/default/dad_transmits": "0",
}

// hostNetwork makes the bridge that connects the nodes and the host.
func (c *Cluster) hostNetwork(ctx context.Context) error {
	if c.State.Sysctls == nil {
		before, err := readSysctls(hostSysctls)
		if err != nil {
			return err
		}
		c.State.Sysctls = before
		if err := c.saveState(); err != nil {
			return err
		}
	}
	if err := netns.Sysctl("", existing(hostSysctls)); err != nil {
		return err
	}
	if linkExists(plan.Bridge) {
		return nil
	}
	return ip(ctx, "",
		"link add "+plan.Bridge+" type bridge",
		"link set "+plan.Bridge+" up",
		"address add "+plan.HostIPv4+"/16 dev "+plan.Bridge,
		"address add "+plan.HostIPv6+"/64 dev "+plan.Bridge+" nodad",
	)
}

// nodeNetwork makes a node's namespace and its link to the bridge, and the
// host's routes to its pods.
func (c *Cluster) nodeNetwork(ctx context.Context, n plan.Node) error {
	if linkExists(n.Link()) && netns.Exists(n.Netns()) {
		return nil
	}
	if err := netns.Create(n.Netns()); err != nil {
		return err
	}
	if err := netns.Sysctl(n.Netns(), existing(nodeSysctls)); err != nil {
		return err
	}
	peer := n.Link() + "p"
	err := ip(ctx, "",
		"link add "+n.Link()+" type veth peer name "+peer,
		"link set "+n.Link()+" master "+plan.Bridge+" up",
	)
	if err != nil {
		return err
	}
	if _, err := netns.Run(ctx, "", "", "ip", "link", "set", peer, "netns", n.Netns()); err != nil {
		return err
	}
	commands := []string{
		"link set lo up",
		"link set " + peer + " name eth0",
		"link set eth0 up",
		"address add " + n.IPv4() + "/16 dev eth0",
		"address add " + n.IPv6() + "/64 dev eth0 nodad",
		// Without a default route Service addresses fail at once.
		"route add default via " + plan.HostIPv4,
		"-6 route add default via " + plan.HostIPv6,
	}
	for _, peer := range c.Plan.Nodes(plan.MaxNodes) {
		if peer.Number != n.Number {
			commands = append(commands, podRoutes(peer)...)
		}
	}
	if err := ip(ctx, n.Netns(), commands...); err != nil {
		return err
	}
	return ip(ctx, "", podRoutes(n)...)
}

func podRoutes(to plan.Node) []string {
	return []string{
		"route replace " + to.PodsIPv4() + " via " + to.IPv4(),
		"-6 route replace " + to.PodsIPv6() + " via " + to.IPv6(),
	}
}

// ip runs commands of ip(8) in a namespace in one go where it can.
func ip(ctx context.Context, namespace string, commands ...string) error {
	var v4, v6 strings.Builder
	for _, command := range commands {
		if rest, found := strings.CutPrefix(command, "-6 "); found {
			fmt.Fprintln(&v6, rest)
		} else {
			fmt.Fprintln(&v4, command)
		}
	}
	if _, err := netns.Run(ctx, namespace, v4.String(), "ip", "-batch", "-"); err != nil {
		return fmt.Errorf("making the network: %w", err)
	}
	if v6.Len() == 0 {
		return nil
	}
	if _, err := netns.Run(ctx, namespace, v6.String(), "ip", "-6", "-batch", "-"); err != nil {
		return fmt.Errorf("making the IPv6 network: %w", err)
	}
	return nil
}

func linkExists(name string) bool {
	_, err := os.Stat("/sys/class/net/" + name)
	return err == nil
}

// existing leaves out what this kernel does not have.
func existing(values map[string]string) map[string]string {
	kept := map[string]string{}
	for name, value := range values {
		if _, err := os.Stat(filepath.Join("/proc/sys", name)); err == nil {
			kept[name] = value
		}
	}
	return kept
}

func readSysctls(wanted map[string]string) (map[string]string, error) {
	values := map[string]string{}
	for name := range existing(wanted) {
		content, err := os.ReadFile(filepath.Join("/proc/sys", name))
		if err != nil {
			return nil, fmt.Errorf("reading a kernel parameter: %w", err)
		}
		values[name] = strings.TrimSpace(string(content))
	}
	return values, nil
}

// removeNetwork removes links, routes (with their links) and namespaces, and
// restores the machine's parameters. It is idempotent.
func (c *Cluster) removeNetwork(ctx context.Context) error {
	links := []string{plan.Bridge}
	for _, n := range c.Plan.Nodes(plan.MaxNodes) {
		links = append(links, n.Link())
		if err := netns.Delete(n.Netns()); err != nil {
			return err
		}
	}
	for _, link := range links {
		if linkExists(link) {
			if _, err := netns.Run(ctx, "", "", "ip", "link", "delete", link); err != nil && linkExists(link) {
				return fmt.Errorf("removing the network: %w", err)
			}
		}
	}
	for name := range c.State.Sysctls {
		if _, ours := hostSysctls[name]; !ours {
			return fmt.Errorf("restoring kernel parameters: %q is none of ours", name)
		}
	}
	return netns.Sysctl("", existing(c.State.Sysctls))
}
