// Package plan says where everything of a cluster is: names, addresses, control
// groups, files. It is pure: it makes nothing and looks at nothing.
package plan

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Fixed addresses. The control plane and DNS are on the host; nodes follow it in
// the same network.
const (
	Bridge = "devcluster0"

	HostIPv4 = "10.88.0.1"
	HostIPv6 = "fd00:88::1"

	ServicesIPv4 = "10.96.0.0/16"
	ServicesIPv6 = "fd00:96::/112"
	PodsIPv4     = "10.244.0.0/16"
	PodsIPv6     = "fd00:244::/32"
	NodesIPv4    = "10.88.0.0/16"
	NodesIPv6    = "fd00:88::/64"

	APIServiceIP = "10.96.0.1"
	DNSServiceIP = "10.96.0.10"
	APIPort      = 6443

	Domain = "cluster.local"
	// PauseImage is the image of every pod's first container.
	PauseImage = "devcluster.local/pause:1"

	// Group is the control group under which everything runs.
	Group = "devcluster"
	// ControlGroup is that of the programs outside all nodes.
	ControlGroup = Group + "/control"

	// MaxNodes is what the addressing has room for.
	MaxNodes = 9
)

// DefaultDir is the folder that holds all state of the cluster.
const DefaultDir = "/var/lib/devcluster"

// Cluster is one cluster's plan.
type Cluster struct {
	Dir string // absolute
}

// Default is the cluster in $DEVCLUSTER_DIR, by default /var/lib/devcluster.
// Addresses are fixed, so a machine has one cluster at a time.
func Default() (Cluster, error) {
	dir := os.Getenv("DEVCLUSTER_DIR")
	if dir == "" {
		dir = DefaultDir
	}
	if !filepath.IsAbs(dir) {
		return Cluster{}, fmt.Errorf("DEVCLUSTER_DIR must be an absolute path, not %q", dir)
	}
	return Cluster{Dir: filepath.Clean(dir)}, nil
}

// Kubeconfig is the administrator's, for use on this machine.
func (c Cluster) Kubeconfig() string { return c.path("kubeconfig") }

// StateFile records what exists, so that a later command finds it.
func (c Cluster) StateFile() string { return c.path("cluster.json") }

// PKI is the folder of certificates and keys.
func (c Cluster) PKI() string { return c.path("pki") }

// Processes is the folder of process records.
func (c Cluster) Processes() string { return c.path("processes") }

// Control is the folder of the control plane's configuration and data.
func (c Cluster) Control(elements ...string) string {
	return c.path(append([]string{"control"}, elements...)...)
}

// AuditLog is the API server's: one JSON line per request.
func (c Cluster) AuditLog() string { return c.Control("audit.log") }

// Log is the log file of a program of the control plane.
func (c Cluster) Log(program string) string { return c.path("log", program+".log") }

// APIServer is the URL of the API server.
func (c Cluster) APIServer() string {
	return "https://" + HostIPv4 + ":" + strconv.Itoa(APIPort)
}

// Snapshots is the folder of the volume copies that a person asked for.
func (c Cluster) Snapshots() string { return c.path("snapshots") }

// Nodes are the first count nodes.
func (c Cluster) Nodes(count int) []Node {
	var nodes []Node
	for number := 1; number <= count; number++ {
		nodes = append(nodes, Node{cluster: c, Number: number})
	}
	return nodes
}

// Node finds a node by its name among count nodes.
func (c Cluster) Node(name string, count int) (Node, error) {
	nodes := c.Nodes(count)
	index := slices.IndexFunc(nodes, func(n Node) bool { return n.Name() == name })
	if index < 0 {
		var names []string
		for _, node := range nodes {
			names = append(names, node.Name())
		}
		return Node{}, fmt.Errorf("there is no node %q; nodes: %s", name, strings.Join(names, " "))
	}
	return nodes[index], nil
}

func (c Cluster) path(elements ...string) string {
	return filepath.Join(append([]string{c.Dir}, elements...)...)
}

// nth is the address number n of a prefix.
func nth(prefix string, n int) string {
	address := netip.MustParsePrefix(prefix).Addr()
	for range n {
		address = address.Next()
	}
	return address.String()
}
