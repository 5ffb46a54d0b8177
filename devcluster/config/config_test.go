package config_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/config"
	"github.com/myuser/db-operator/devcluster/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestFilesAndCommandsAreAsInTheGoldenFiles(t *testing.T) {
	c := plan.Cluster{Dir: "/cluster"}
	n := c.Nodes(2)[1]
	binary := func(name string) string { return "/bin/" + name }
	lines := func(args []string) string { return strings.Join(args, "\n") + "\n" }
	cases := map[string]string{
		"containerd.toml":    config.Containerd(n, "/bin/runc"),
		"cni.json":           config.CNI(n),
		"kubelet.yaml":       config.Kubelet(c, n),
		"proxy.yaml":         config.Proxy(n),
		"kubeconfig.yaml":    config.Kubeconfig("https://10.88.0.1:6443", []byte("CA"), "admin", "token"),
		"audit.yaml":         config.AuditPolicy(),
		"Corefile":           config.Corefile(c),
		"etcd":               lines(config.Etcd(c, binary)),
		"kube-apiserver":     lines(config.APIServer(c, binary)),
		"controller-manager": lines(config.ControllerManager(c, binary)),
		"scheduler":          lines(config.Scheduler(c, binary)),
		"kubelet":            lines(config.KubeletCommand(n, binary)),
	}
	for name, got := range cases {
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got), write anew with -update:\n%s", name, diff)
			}
		})
	}
}

func TestPodNetworkIsJSON(t *testing.T) {
	if !json.Valid([]byte(config.CNI(plan.Cluster{Dir: "/cluster"}.Nodes(1)[0]))) {
		t.Error("the CNI configuration is no JSON")
	}
}

func TestEveryUserHasALineInTheTokenFile(t *testing.T) {
	users := map[string]config.User{
		"admin": {Name: "admin", Groups: []string{"system:masters"}},
		"node1": {Name: "system:node:node1", Groups: []string{"system:nodes"}},
		"proxy": {Name: "system:kube-proxy"},
	}
	tokens := map[string]string{"admin": "a", "node1": "b", "proxy": "c"}
	want := `a,admin,admin,"system:masters"
b,system:node:node1,system:node:node1,"system:nodes"
c,system:kube-proxy,system:kube-proxy,""
`
	if diff := cmp.Diff(want, config.Tokens(users, tokens, []string{"admin", "node1", "proxy"})); diff != "" {
		t.Errorf("token file (-want +got):\n%s", diff)
	}
}
