// Command devcluster runs a real Kubernetes cluster on one Linux machine, for
// developing and testing against: real kubelets and containers, several nodes,
// no container registry, and faults that are exact. See README.md.
package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/myuser/db-operator/devcluster/cluster"
	"github.com/myuser/db-operator/devcluster/components"
	"github.com/myuser/db-operator/devcluster/console"
	"github.com/myuser/db-operator/devcluster/process"
)

// source is what the components are built from, so that this binary builds
// them wherever it is.
//
//go:embed go.mod go.sum cmd
var source embed.FS

// A verb is one of the commands. Arguments are those after its name.
type verb struct {
	usage string
	help  string
	run   func(ctx context.Context, t *tool, args []string) error
}

// verbs is filled by the files of the commands.
var verbs = map[string]verb{}

// tool is what commands work with.
type tool struct {
	set      *components.Set
	cacheDir string
	out      *console.Console
}

// cluster is the cluster of this machine, be it there or not.
func (t *tool) cluster() (*cluster.Cluster, error) { return cluster.New(t.set, t.cacheDir, t.out) }

// existing is the cluster of this machine, which must be there.
func (t *tool) existing() (*cluster.Cluster, error) {
	c, err := t.cluster()
	if err == nil && !c.Exists() {
		err = cluster.ErrAbsent
	}
	return c, err
}

// errUsage makes the program show its usage.
type errUsage struct{ problem string }

func (e errUsage) Error() string { return e.problem }

// exitStatus ends the program with the status of a program that it ran.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

func main() {
	process.Become(os.Args)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		fmt.Print(usage())
		return 0
	}
	chosen, known := verbs[args[0]]
	if !known {
		fmt.Fprintf(os.Stderr, "devcluster: there is no command %q\n\n%s", args[0], usage())
		return 2
	}
	cacheDir, err := components.CacheDir()
	if err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		return 1
	}
	set, err := components.New(source, cacheDir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		return 1
	}
	err = chosen.run(ctx, &tool{set: set, cacheDir: cacheDir, out: console.New(os.Stderr)}, args[1:])
	var wrong errUsage
	var status exitStatus
	switch {
	case err == nil:
		return 0
	case errors.As(err, &status):
		return int(status)
	case errors.As(err, &wrong):
		fmt.Fprintf(os.Stderr, "devcluster: %s\nusage: devcluster %s\n", wrong.problem, chosen.usage)
		return 2
	default:
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		return 1
	}
}

func usage() string {
	var text strings.Builder
	text.WriteString("devcluster runs a real Kubernetes cluster on this machine.\n\nusage: devcluster COMMAND\n\n")
	var names []string
	for name, v := range verbs {
		if v.help != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		for line := range strings.Lines(verbs[name].usage) {
			fmt.Fprintf(&text, "  %s\n", strings.TrimSpace(line))
		}
		fmt.Fprintf(&text, "        %s\n", verbs[name].help)
	}
	return text.String()
}
