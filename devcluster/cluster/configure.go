package cluster

import (
	"crypto/rand"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/myuser/db-operator/devcluster/config"
	"github.com/myuser/db-operator/devcluster/pki"
	"github.com/myuser/db-operator/devcluster/plan"
)

// configureControl writes certificates, tokens and the control plane's files.
func (c *Cluster) configureControl() error {
	if err := os.MkdirAll(c.Plan.Control(), 0o755); err != nil {
		return fmt.Errorf("making the control plane's folder: %w", err)
	}
	authority, err := pki.Open(c.Plan.PKI())
	if err != nil {
		return err
	}
	err = errors.Join(
		authority.Issue("apiserver", pkix.Name{CommonName: "kube-apiserver"},
			"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc."+plan.Domain,
			plan.APIServiceIP, plan.HostIPv4, plan.HostIPv6, "127.0.0.1", "localhost"),
		authority.Issue("apiserver-kubelet",
			pkix.Name{CommonName: "kube-apiserver-kubelet", Organization: []string{"system:masters"}}),
	)
	if err != nil {
		return err
	}
	account, err := pki.Key(filepath.Join(c.Plan.PKI(), "service-account.key"))
	if err != nil {
		return err
	}
	if err := pki.PublicKey(account, filepath.Join(c.Plan.PKI(), "service-account.pub")); err != nil {
		return err
	}
	// Tokens for every node there could be: the API server reads the file only
	// at its start, and nodes may be added later.
	users := config.Users(c.Plan.Nodes(plan.MaxNodes))
	tokens, err := c.tokens(users)
	if err != nil {
		return err
	}
	ca, err := os.ReadFile(authority.CertificateFile())
	if err != nil {
		return fmt.Errorf("reading the cluster's authority: %w", err)
	}
	files := map[string]string{
		c.Plan.Control("tokens.csv"):        config.Tokens(users, tokens, slices.Sorted(maps.Keys(users))),
		c.Plan.Control("audit-policy.yaml"): config.AuditPolicy(),
		c.Plan.Control("Corefile"):          config.Corefile(c.Plan),
	}
	kubeconfig := func(user string) string {
		return config.Kubeconfig(c.Plan.APIServer(), ca, users[user].Name, tokens[user])
	}
	for _, user := range []string{"controller-manager", "scheduler", "coredns"} {
		files[c.Plan.Control(user+".kubeconfig")] = kubeconfig(user)
	}
	for _, n := range c.Nodes() {
		files[n.Dir("kubelet.kubeconfig")] = kubeconfig(n.Name())
		files[n.Dir("kube-proxy.kubeconfig")] = kubeconfig("proxy")
	}
	files[c.Plan.Kubeconfig()] = kubeconfig("admin")
	return writeFiles(files, 0o600)
}

// configureNode writes a node's files, apart from its kubeconfigs.
func (c *Cluster) configureNode(n plan.Node) error {
	for _, dir := range []string{n.Kubelet(), n.Volumes(), n.Dir("pod-logs"), n.Dir("volume-plugins"), n.ContainerdState()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the folders of %s: %w", n.Name(), err)
		}
	}
	return writeFiles(map[string]string{
		n.Dir("containerd.toml"):                       config.Containerd(n, c.Binary("runc")),
		n.Dir("cni", "conf", "10-devcluster.conflist"): config.CNI(n),
		n.Dir("kubelet.yaml"):                          config.Kubelet(c.Plan, n),
		n.Dir("proxy.yaml"):                            config.Proxy(n),
		n.Dir("resolv.conf"):                           config.ResolvConf(),
	}, 0o644)
}

// tokens makes the users' tokens once and keeps them.
func (c *Cluster) tokens(users map[string]config.User) (map[string]string, error) {
	tokens, err := c.readTokens()
	if !errors.Is(err, fs.ErrNotExist) {
		return tokens, err
	}
	tokens = map[string]string{}
	for name := range users {
		tokens[name] = rand.Text()
	}
	content, err := json.Marshal(tokens)
	if err != nil {
		return nil, fmt.Errorf("encoding the tokens: %w", err)
	}
	return tokens, writeFiles(map[string]string{c.tokenFile(): string(content)}, 0o600)
}

func (c *Cluster) readTokens() (map[string]string, error) {
	content, err := os.ReadFile(c.tokenFile())
	if err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	var tokens map[string]string
	if err := json.Unmarshal(content, &tokens); err != nil {
		return nil, fmt.Errorf("reading the tokens: %w", err)
	}
	return tokens, nil
}

func (c *Cluster) tokenFile() string { return c.Plan.Control("tokens.json") }

func writeFiles(files map[string]string, mode os.FileMode) error {
	for path, content := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("making a configuration folder: %w", err)
		}
		if err := os.WriteFile(path, []byte(content), mode); err != nil {
			return fmt.Errorf("writing a configuration file: %w", err)
		}
	}
	return nil
}
