// Package config renders the configuration files and command lines of a
// cluster's programs from its plan. It is pure: it writes and starts nothing.
package config

import (
	"embed"
	"encoding/base64"
	"fmt"
	"strings"
	"text/template"

	"github.com/myuser/db-operator/devcluster/plan"
)

//go:embed templates
var files embed.FS

var templates = template.Must(template.ParseFS(files, "templates/*"))

// Containerd is a node's containerd configuration, with the path of runc.
func Containerd(n plan.Node, runc string) string {
	return render("containerd.toml", struct {
		Node             plan.Node
		Runc, PauseImage string
	}{n, runc, plan.PauseImage})
}

// CNI is a node's pod network: a routed veth pair per pod, so that Service
// traffic between two pods of one node passes the node's packet filter.
func CNI(n plan.Node) string { return render("cni.json", n) }

// Kubelet is a node's kubelet configuration.
func Kubelet(c plan.Cluster, n plan.Node) string {
	return render("kubelet.yaml", struct {
		Node             plan.Node
		PKI, DNS, Domain string
	}{n, c.PKI(), plan.DNSServiceIP, plan.Domain})
}

// Proxy is a node's kube-proxy configuration.
func Proxy(n plan.Node) string { return render("proxy.yaml", struct{ Node plan.Node }{n}) }

// Kubeconfig lets a user with a token reach the API server.
func Kubeconfig(server string, ca []byte, user, token string) string {
	return render("kubeconfig.yaml", struct{ Server, CA, User, Token string }{
		server, base64.StdEncoding.EncodeToString(ca), user, token,
	})
}

// AuditPolicy logs one line per finished request, without bodies.
func AuditPolicy() string { return render("audit.yaml", nil) }

// Corefile is the configuration of the cluster's DNS.
func Corefile(c plan.Cluster) string {
	return render("Corefile", struct{ Domain, Address, AddressV6, Kubeconfig string }{
		plan.Domain, plan.HostIPv4, plan.HostIPv6, c.Control("coredns.kubeconfig"),
	})
}

// ResolvConf is the one that pods without cluster DNS get. The cluster has no
// way out, so no server is named.
func ResolvConf() string { return "options timeout:1 attempts:1\n" }

// A User is an identity with a static token.
type User struct {
	Name   string
	Groups []string
}

// Users are the identities of a cluster's programs, by the name of the file
// that holds their kubeconfig. Default RBAC bindings and the node authorizer
// know these names.
func Users(nodes []plan.Node) map[string]User {
	users := map[string]User{
		"admin":              {"admin", []string{"system:masters"}},
		"controller-manager": {"system:kube-controller-manager", nil},
		"scheduler":          {"system:kube-scheduler", nil},
		"proxy":              {"system:kube-proxy", nil},
		"coredns":            {"devcluster:coredns", []string{"system:masters"}},
		"provisioner":        {"devcluster:provisioner", []string{"system:masters"}},
	}
	for _, n := range nodes {
		users[n.Name()] = User{"system:node:" + n.Name(), []string{"system:nodes"}}
	}
	return users
}

// Tokens is the API server's token file: token, user, uid, groups.
func Tokens(users map[string]User, tokens map[string]string, order []string) string {
	var lines strings.Builder
	for _, key := range order {
		user := users[key]
		fmt.Fprintf(&lines, "%s,%s,%s,%q\n", tokens[key], user.Name, user.Name, strings.Join(user.Groups, ","))
	}
	return lines.String()
}

func render(name string, data any) string {
	var out strings.Builder
	// The templates and their data are fixed at compile time.
	if err := templates.ExecuteTemplate(&out, name, data); err != nil {
		panic(err)
	}
	return out.String()
}
