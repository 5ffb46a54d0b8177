package config

import (
	"strconv"

	"github.com/myuser/db-operator/devcluster/plan"
)

// Ports of etcd on the loopback interface; not the usual ones, so that another
// etcd on the machine is not in the way.
const (
	etcdClientURL = "http://127.0.0.1:12379"
	etcdPeerURL   = "http://127.0.0.1:12380"
)

// EtcdHealth answers 200 when etcd serves.
const EtcdHealth = etcdClientURL + "/health"

// A Binary finds a component by its name.
type Binary func(name string) string

// Etcd is etcd's command line.
func Etcd(c plan.Cluster, binary Binary) []string {
	return []string{
		binary("etcd"),
		"--name=devcluster",
		"--data-dir=" + c.Control("etcd"),
		"--listen-client-urls=" + etcdClientURL,
		"--advertise-client-urls=" + etcdClientURL,
		"--listen-peer-urls=" + etcdPeerURL,
		"--initial-advertise-peer-urls=" + etcdPeerURL,
		"--initial-cluster=devcluster=" + etcdPeerURL,
		// It is not what a test is about, and it shares the disk.
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

// APIServer is the API server's command line.
func APIServer(c plan.Cluster, binary Binary) []string {
	pki := c.PKI() + "/"
	return []string{
		binary("kube-apiserver"),
		"--etcd-servers=" + etcdClientURL,
		"--bind-address=" + plan.HostIPv4,
		"--advertise-address=" + plan.HostIPv4,
		"--secure-port=" + strconv.Itoa(plan.APIPort),
		"--service-cluster-ip-range=" + plan.ServicesIPv4 + "," + plan.ServicesIPv6,
		"--tls-cert-file=" + pki + "apiserver.crt",
		"--tls-private-key-file=" + pki + "apiserver.key",
		"--client-ca-file=" + pki + "ca.crt",
		"--token-auth-file=" + c.Control("tokens.csv"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--service-account-issuer=https://kubernetes.default.svc." + plan.Domain,
		"--service-account-key-file=" + pki + "service-account.pub",
		"--service-account-signing-key-file=" + pki + "service-account.key",
		// Without a client certificate logs and exec answer 401.
		"--kubelet-client-certificate=" + pki + "apiserver-kubelet.crt",
		"--kubelet-client-key=" + pki + "apiserver-kubelet.key",
		"--kubelet-preferred-address-types=InternalIP",
		// Webhooks go straight to pods: the host has routes but no kube-proxy.
		"--enable-aggregator-routing=true",
		"--audit-policy-file=" + c.Control("audit-policy.yaml"),
		"--audit-log-path=" + c.AuditLog(),
		"--audit-log-maxsize=200",
		"--audit-log-maxbackup=2",
	}
}

// ControllerManager is the controller manager's command line. The timing of
// node failures is left at its defaults.
func ControllerManager(c plan.Cluster, binary Binary) []string {
	kubeconfig := c.Control("controller-manager.kubeconfig")
	return []string{
		binary("kube-controller-manager"),
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--root-ca-file=" + c.PKI() + "/ca.crt",
		"--service-account-private-key-file=" + c.PKI() + "/service-account.key",
		"--cluster-signing-cert-file=" + c.PKI() + "/ca.crt",
		"--cluster-signing-key-file=" + c.PKI() + "/ca.key",
	}
}

// Scheduler is the scheduler's command line.
func Scheduler(c plan.Cluster, binary Binary) []string {
	kubeconfig := c.Control("scheduler.kubeconfig")
	return []string{
		binary("kube-scheduler"),
		"--kubeconfig=" + kubeconfig,
		"--authentication-kubeconfig=" + kubeconfig,
		"--authorization-kubeconfig=" + kubeconfig,
		"--bind-address=127.0.0.1",
		"--leader-elect=false",
	}
}

// CoreDNS is the command line of the cluster's DNS.
func CoreDNS(c plan.Cluster, binary Binary) []string {
	return []string{binary("coredns"), "-conf", c.Control("Corefile")}
}

// ContainerdCommand is the command line of a node's containerd.
func ContainerdCommand(n plan.Node, binary Binary) []string {
	return []string{binary("containerd"), "--config", n.Dir("containerd.toml")}
}

// KubeletCommand is the command line of a node's kubelet.
func KubeletCommand(n plan.Node, binary Binary) []string {
	return []string{
		binary("kubelet"),
		"--config=" + n.Dir("kubelet.yaml"),
		"--kubeconfig=" + n.Dir("kubelet.kubeconfig"),
		"--root-dir=" + n.Kubelet(),
		"--cert-dir=" + n.Dir("kubelet-pki"),
		"--hostname-override=" + n.Name(),
		"--node-ip=" + n.IPv4() + "," + n.IPv6(),
	}
}

// ProxyCommand is the command line of a node's kube-proxy.
func ProxyCommand(n plan.Node, binary Binary) []string {
	return []string{binary("kube-proxy"), "--config=" + n.Dir("proxy.yaml")}
}
