package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"

	"github.com/myuser/db-operator/devcluster/images"
	"github.com/myuser/db-operator/devcluster/volume"
)

func init() {
	verbs["up"] = verb{
		usage: "up [--nodes N]",
		help:  "start the cluster (default: 3 nodes; 0 is a control plane alone), or add what is missing",
		run:   up,
	}
	verbs["down"] = verb{usage: "down", help: "stop the cluster and remove everything it made", run: down}
	verbs["status"] = verb{usage: "status", help: "say what runs and what it takes", run: status}
	verbs["kubectl"] = verb{usage: "kubectl ARGUMENT...", help: "run the cluster's kubectl", run: kubectl}
	verbs["kubeconfig"] = verb{usage: "kubeconfig", help: "print the path of the administrator's kubeconfig", run: kubeconfig}
	verbs["components"] = verb{
		usage: "components build|path",
		help:  "build the programs of a cluster into the cache; print their folder",
		run:   buildComponents,
	}
	verbs["apiserver"] = verb{usage: "apiserver stop|start", help: "stop or start the API server; all else runs on", run: apiServer}
	verbs["__provisioner"] = verb{usage: "__provisioner", run: provision}
}

func up(ctx context.Context, t *tool, args []string) error {
	flags := flag.NewFlagSet("up", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	nodes := flags.Int("nodes", 3, "")
	if err := flags.Parse(args); err != nil || flags.NArg() > 0 {
		return errUsage{"up takes only --nodes N"}
	}
	c, err := t.cluster()
	if err != nil {
		return err
	}
	var tars []string
	for _, image := range images.Cached(t.cacheDir) {
		tars = append(tars, image.Tar)
	}
	wasThere := c.State.Complete
	err = c.Up(ctx, *nodes, tars)
	if err != nil && ctx.Err() != nil && !wasThere {
		t.out.Printf("interrupted: removing what has been made")
		return errors.Join(fmt.Errorf("interrupted"), c.Down(context.WithoutCancel(ctx)))
	}
	if err != nil {
		return err
	}
	t.out.Printf("up in %.1f s; KUBECONFIG=%s", t.out.Elapsed().Seconds(), c.Plan.Kubeconfig())
	t.out.Printf("memory: %s", c.Memory())
	return nil
}

func down(ctx context.Context, t *tool, args []string) error {
	c, err := t.cluster()
	if err != nil {
		return err
	}
	return c.Down(ctx)
}

func status(ctx context.Context, t *tool, args []string) error {
	c, err := t.existing()
	if err != nil {
		return err
	}
	return c.Status(ctx, os.Stdout)
}

func kubectl(_ context.Context, t *tool, args []string) error {
	c, err := t.existing()
	if err != nil {
		return err
	}
	env := os.Environ()
	if !strings.Contains(strings.Join(args, " "), "--kubeconfig") {
		env = append(env, "KUBECONFIG="+c.Plan.Kubeconfig())
	}
	program := c.Binary("kubectl")
	if err := syscall.Exec(program, append([]string{program}, args...), env); err != nil {
		return fmt.Errorf("running kubectl: %w", err)
	}
	return nil
}

func kubeconfig(_ context.Context, t *tool, _ []string) error {
	c, err := t.cluster()
	if err != nil {
		return err
	}
	fmt.Println(c.Plan.Kubeconfig())
	return nil
}

func buildComponents(ctx context.Context, t *tool, args []string) error {
	switch strings.Join(args, " ") {
	case "path":
		fmt.Println(t.set.Dir())
		return nil
	case "build":
		return t.set.Build(ctx, t.out)
	default:
		return errUsage{"say `build` or `path`"}
	}
}

func apiServer(ctx context.Context, t *tool, args []string) error {
	c, err := t.existing()
	if err != nil {
		return err
	}
	switch strings.Join(args, " ") {
	case "stop":
		return t.out.Step("API server stopped", func() error { return c.StopAPIServer(ctx) })
	case "start":
		return t.out.Step("API server ready", func() error { return c.StartAPIServer(ctx) })
	default:
		return errUsage{"say `stop` or `start`"}
	}
}

// provision is the volume provisioner's process.
func provision(ctx context.Context, t *tool, _ []string) error {
	c, err := t.existing()
	if err != nil {
		return err
	}
	client, err := c.Client("provisioner")
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	log.Info("volume provisioner started")
	volume.Controller{API: client, Nodes: c.Node, Log: log}.Run(ctx)
	return nil
}
