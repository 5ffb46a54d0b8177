// Package cluster starts, stops and describes a whole cluster on this machine:
// it brings the plan, the components, the configuration and the processes
// together. Faults are made by package fault, volumes by package volume.
package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/myuser/db-operator/devcluster/cgroup"
	"github.com/myuser/db-operator/devcluster/components"
	"github.com/myuser/db-operator/devcluster/console"
	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/plan"
	"github.com/myuser/db-operator/devcluster/process"
)

// ErrAbsent means that no cluster exists.
var ErrAbsent = errors.New("there is no cluster; `devcluster up` makes one")

// State is what a later command must know about the cluster.
type State struct {
	Nodes int `json:"nodes"`
	// Complete is false while the first `up` is under way.
	Complete bool `json:"complete"`
	// Sysctls are the machine's values before `up` changed them.
	Sysctls map[string]string `json:"sysctls"`
	// OwnCgroups is true when `up` mounted the control groups.
	OwnCgroups bool `json:"ownCgroups"`
	// OwnRun is true when /run/containerd did not exist before.
	OwnRun bool `json:"ownRun"`
	// UpSeconds is how long the last `up` from nothing took.
	UpSeconds float64 `json:"upSeconds"`
}

// Cluster is the one cluster of this machine.
type Cluster struct {
	Plan      plan.Cluster
	State     State
	Processes process.Table
	set       *components.Set
	cacheDir  string
	out       *console.Console
}

// New describes the cluster as its state file records it, or an absent one.
func New(set *components.Set, cacheDir string, out *console.Console) (*Cluster, error) {
	where, err := plan.Default()
	if err != nil {
		return nil, err
	}
	c := &Cluster{Plan: where, Processes: process.Table{Dir: where.Processes()}, set: set, cacheDir: cacheDir, out: out}
	content, err := os.ReadFile(where.StateFile())
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the cluster's state: %w", err)
	}
	if err := json.Unmarshal(content, &c.State); err != nil {
		return nil, fmt.Errorf("reading the cluster's state: %w", err)
	}
	return c, nil
}

// Exists tells whether `up` has been called and `down` has not.
func (c *Cluster) Exists() bool {
	return c.State.Nodes > 0 || c.State.Complete || c.State.Sysctls != nil
}

// Nodes are the cluster's nodes.
func (c *Cluster) Nodes() []plan.Node { return c.Plan.Nodes(c.State.Nodes) }

// Node finds a node by name.
func (c *Cluster) Node(name string) (plan.Node, error) {
	if !c.Exists() {
		return plan.Node{}, ErrAbsent
	}
	return c.Plan.Node(name, c.State.Nodes)
}

// Tree is the machine's control groups.
func (c *Cluster) Tree() (*cgroup.Tree, error) { return cgroup.Detect(cgroup.Root) }

// Binary is the path of a component.
func (c *Cluster) Binary(name string) string { return c.set.Path(name) }

// Client speaks to the API server as one of config.Users, by its key.
func (c *Cluster) Client(user string) (*kube.Client, error) {
	if !c.Exists() {
		return nil, ErrAbsent
	}
	tokens, err := c.readTokens()
	if err != nil {
		return nil, err
	}
	return kube.New(c.Plan.APIServer(), tokens[user], filepath.Join(c.Plan.PKI(), "ca.crt"))
}

func (c *Cluster) saveState() error {
	content, err := json.MarshalIndent(c.State, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the cluster's state: %w", err)
	}
	if err := os.MkdirAll(c.Plan.Dir, 0o755); err != nil {
		return fmt.Errorf("making the cluster's folder: %w", err)
	}
	stage := c.Plan.StateFile() + ".stage"
	if err := os.WriteFile(stage, append(content, '\n'), 0o644); err != nil {
		return fmt.Errorf("writing the cluster's state: %w", err)
	}
	if err := os.Rename(stage, c.Plan.StateFile()); err != nil {
		return fmt.Errorf("writing the cluster's state: %w", err)
	}
	return nil
}

// together runs the functions at the same time and waits for all of them.
func together(ctx context.Context, tasks ...func(context.Context) error) error {
	results := make(chan error)
	for _, task := range tasks {
		go func() { results <- task(ctx) }()
	}
	var failed error
	for range tasks {
		failed = errors.Join(failed, <-results)
	}
	return failed
}
