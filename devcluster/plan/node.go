package plan

import (
	"fmt"
	"net/netip"
	"path/filepath"
	"strconv"
)

// Node is one node's plan. Numbers start at 1.
type Node struct {
	cluster Cluster
	Number  int
}

// Name is the node's name in the cluster and of its folder and control group.
func (n Node) Name() string { return "node" + strconv.Itoa(n.Number) }

// IPv4 is the node's address: 10.88.0.11 for node1.
func (n Node) IPv4() string { return nth(NodesIPv4, 10+n.Number) }

// IPv6 is the node's second address: fd00:88::11 for node1.
func (n Node) IPv6() string { return fmt.Sprintf("fd00:88::1%d", n.Number) }

// PodsIPv4 is the network of the node's pods.
func (n Node) PodsIPv4() string { return n.subnet(PodsIPv4, 24) }

// PodsIPv6 is the second network of the node's pods.
func (n Node) PodsIPv6() string { return n.subnet(PodsIPv6, 64) }

// subnet takes the subnet with the node's number out of a network. The number
// is below 256, so it fits the subnet's last byte.
func (n Node) subnet(network string, bits int) string {
	address := netip.MustParsePrefix(network).Addr().AsSlice()
	address[bits/8-1] += byte(n.Number)
	subnet, _ := netip.AddrFromSlice(address)
	return netip.PrefixFrom(subnet, bits).String()
}

// Link is the node's interface on the host's side.
func (n Node) Link() string { return "devcluster" + strconv.Itoa(10+n.Number) }

// Netns is the file that holds the node's network namespace.
func (n Node) Netns() string { return n.cluster.path("netns", n.Name()) }

// Group is the control group of all processes of the node.
func (n Node) Group() string { return Group + "/" + n.Name() }

// SystemGroup is that of containerd, kubelet, kube-proxy and the shims.
func (n Node) SystemGroup() string { return n.Group() + "/sys" }

// PodsGroup is what kubelet makes the groups of pods in.
func (n Node) PodsGroup() string { return n.Group() + "/kubepods" }

// Dir is the node's folder.
func (n Node) Dir(elements ...string) string {
	return n.cluster.path(append([]string{"nodes", n.Name()}, elements...)...)
}

// ContainerdRoot is containerd's persistent folder.
func (n Node) ContainerdRoot() string { return n.Dir("containerd", "root") }

// ContainerdState is containerd's folder of what a power-off loses.
func (n Node) ContainerdState() string { return n.Dir("containerd", "state") }

// ContainerdSocket is absolute: ctr takes a relative one for a URL.
func (n Node) ContainerdSocket() string {
	return filepath.Join(n.ContainerdState(), "containerd.sock")
}

// Kubelet is kubelet's folder.
func (n Node) Kubelet() string { return n.Dir("kubelet") }

// Volumes is where volumes of both storage classes are.
func (n Node) Volumes() string { return n.Dir("volumes") }

// Log is the log file of a program of the node.
func (n Node) Log(program string) string {
	return n.cluster.path("log", n.Name(), program+".log")
}

// Process is the name of a program of the node in the process records.
func (n Node) Process(program string) string { return n.Name() + "-" + program }
