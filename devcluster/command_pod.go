package main

import (
	"context"
	"fmt"

	"github.com/myuser/db-operator/devcluster/fault"
)

func init() {
	verbs["pod"] = verb{
		usage: `pod freeze [-n NAMESPACE] POD
pod thaw [-n NAMESPACE] POD
pod kill [-n NAMESPACE] [--signal NAME] POD PROGRAM`,
		help: "make a pod hang and go on; signal the processes of one program in a pod (default: KILL)",
		run:  pod,
	}
}

func pod(ctx context.Context, t *tool, args []string) error {
	if len(args) < 2 {
		return errUsage{"say what to do to which pod"}
	}
	flags := newFlags("pod")
	namespace := flags.String("n", "default", "")
	signalName := flags.String("signal", "KILL", "")
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() == 0 {
		return errUsage{"say which pod"}
	}
	c, err := t.existing()
	if err != nil {
		return err
	}
	client, err := c.Client("admin")
	if err != nil {
		return err
	}
	tree, err := c.Tree()
	if err != nil {
		return err
	}
	p, err := fault.FindPod(ctx, client, tree, c.Node, *namespace, flags.Arg(0))
	if err != nil {
		return err
	}
	switch {
	case args[0] == "freeze" && flags.NArg() == 1:
		return t.out.Step("pod "+p.Name+" frozen: it uses no CPU", func() error { return p.Freeze(ctx) })
	case args[0] == "thaw" && flags.NArg() == 1:
		return t.out.Step("pod "+p.Name+" thawed", func() error { return p.Thaw(ctx) })
	case args[0] == "kill" && flags.NArg() == 2:
		signal, known := signals[*signalName]
		if !known {
			return errUsage{fmt.Sprintf("there is no signal %q", *signalName)}
		}
		return t.out.Step(fmt.Sprintf("%s of pod %s got SIG%s", flags.Arg(1), p.Name, *signalName), func() error {
			_, err := p.Kill(ctx, flags.Arg(1), signal)
			return err
		})
	default:
		return errUsage{"say freeze, thaw or kill"}
	}
}
