// The agent's entry: PID 1 in a member's pod, its guardian, and the init
// container that brings it there. Everything that can be tested lives in
// internal/agent; here it is only put together, and the engines are chosen.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/myuser/db-operator/internal/agent"
	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/engine"
	mysql "github.com/myuser/db-operator/internal/engine/mysql/driver"
	postgres "github.com/myuser/db-operator/internal/engine/postgres/driver"
)

// version is set by the linker.
var version = "dev"

// engines is where an engine is added to the agent.
var engines = map[string]func(engine.Paths) engine.Driver{
	"mysql":    func(p engine.Paths) engine.Driver { return mysql.New(p) },
	"postgres": func(p engine.Paths) engine.Driver { return postgres.New(p) },
}

// commands by name; each returns the exit code.
var commands = map[string]func(args []string) int{
	"run":      run,
	"guardian": guardian,
	"install":  install,
	"version":  func([]string) int { fmt.Println(version); return 0 },
}

func main() {
	if len(os.Args) > 1 {
		if command, ok := commands[os.Args[1]]; ok {
			os.Exit(command(os.Args[2:]))
		}
	}
	fmt.Fprintln(os.Stderr, "usage: agent run | guardian | install --to FOLDER --user NAME | version")
	os.Exit(2)
}

// heapLimit makes the collector work harder before the agent outgrows its
// share: what lives in it is some hundred kilobytes.
const heapLimit = 16 << 20

// run is the agent itself. It returns when the pod ends.
func run(args []string) int {
	debug.SetGCPercent(40)
	debug.SetMemoryLimit(heapLimit)
	o, err := parseRun(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	out := newPatient(os.Stdout)
	defer out.Close()
	logger := slog.New(slog.NewJSONHandler(out, nil))
	if err != nil {
		logger.Error("reading the options", "error", err)
		return 2
	}
	o.Logger = logger
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	// A log that nobody reads any more must not end a database. The signal is
	// taken, not ignored: an ignored one would be ignored by the engine too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	if err := agent.Run(ctx, o); err != nil {
		logger.Error("the agent cannot run", "error", err)
		return 1
	}
	return 0
}

// guardian is started by run.
func guardian([]string) int {
	debug.SetGCPercent(20)
	logger := slog.New(slog.NewJSONHandler(os.Stderr, nil)).With("source", "guardian")
	return supervise.RunGuardian(context.Background(), logger)
}
