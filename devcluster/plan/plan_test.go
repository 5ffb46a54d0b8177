package plan_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/plan"
)

func TestNodesHaveDistinctAddresses(t *testing.T) {
	type addresses struct{ Name, IPv4, IPv6, PodsIPv4, PodsIPv6, Link, Group string }
	var got []addresses
	for _, n := range (plan.Cluster{Dir: "/d"}).Nodes(2) {
		got = append(got, addresses{n.Name(), n.IPv4(), n.IPv6(), n.PodsIPv4(), n.PodsIPv6(), n.Link(), n.SystemGroup()})
	}
	want := []addresses{
		{"node1", "10.88.0.11", "fd00:88::11", "10.244.1.0/24", "fd00:244:0:1::/64", "devcluster11", "devcluster/node1/sys"},
		{"node2", "10.88.0.12", "fd00:88::12", "10.244.2.0/24", "fd00:244:0:2::/64", "devcluster12", "devcluster/node2/sys"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
}

func TestNodeIsFoundByNameOnly(t *testing.T) {
	cluster := plan.Cluster{Dir: "/d"}
	if node, err := cluster.Node("node2", 3); err != nil || node.Number != 2 {
		t.Errorf("Node(node2) = %v, %v", node, err)
	}
	for _, name := range []string{"node4", "node0", "", "2"} {
		if _, err := cluster.Node(name, 3); err == nil {
			t.Errorf("Node(%q) was found among three nodes", name)
		}
	}
}

func TestStateFolderMustBeAbsolute(t *testing.T) {
	t.Setenv("DEVCLUSTER_DIR", "relative/folder")
	if _, err := plan.Default(); err == nil {
		t.Error("a relative DEVCLUSTER_DIR was accepted")
	}
	t.Setenv("DEVCLUSTER_DIR", "")
	cluster, err := plan.Default()
	if err != nil || cluster.Kubeconfig() != "/var/lib/devcluster/kubeconfig" {
		t.Errorf("default kubeconfig = %s, %v", cluster.Kubeconfig(), err)
	}
}
