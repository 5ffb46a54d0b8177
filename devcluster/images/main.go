package images

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/myuser/db-operator/devcluster/components"
)

const usage = `usage:
  image build [--cache DIR] [NAME...]   make images from Debian packages (default: all)
  image list [--cache DIR]              known images: version, size and archive, when built
  image pack --name NAME --out FILE --entrypoint PATH [--user UID:GID] FILE=/PATH...
                                        an image of static programs and nothing else
  image run [OPTIONS] NAME [-- COMMAND ARGS...]
                                        run a command in an image without a container engine;
                                        image run -h lists the options
`

// exitUsage is the exit code for a wrong command line.
const exitUsage = 2

// Main is the command line `image …` without its first word. It returns the
// exit code; `run` returns that of the command. It blocks until all is done.
func Main(args []string) int {
	verbs := map[string]func(context.Context, []string) (int, error){
		"build": buildCommand, "list": listCommand, "pack": packCommand, "run": runCommand,
	}
	if len(args) == 0 || verbs[args[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return exitUsage
	}
	ctx := context.Background()
	if args[0] != "run" { // run forwards signals to its command instead
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	code, err := verbs[args[0]](ctx, args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitUsage
	case err != nil:
		fmt.Fprintf(os.Stderr, "image %s: %v\n", args[0], err)
		return max(code, 1)
	}
	return code
}

// flagsOf makes the flags of a verb, with the one for the cache folder.
func flagsOf(verb string) (*flag.FlagSet, *string) {
	flags := flag.NewFlagSet("image "+verb, flag.ContinueOnError)
	return flags, flags.String("cache", "", "folder of the cache (default $XDG_CACHE_HOME/db-operator)")
}

func cacheOf(chosen string) (string, error) {
	if chosen != "" {
		return chosen, nil
	}
	return components.CacheDir()
}

func buildCommand(ctx context.Context, args []string) (int, error) {
	flags, cache := flagsOf("build")
	if err := flags.Parse(args); err != nil {
		return exitUsage, err
	}
	cacheDir, err := cacheOf(*cache)
	if err != nil {
		return 1, err
	}
	built, err := Build(ctx, os.Stderr, cacheDir, flags.Args())
	if err != nil {
		return 1, err
	}
	for _, image := range built {
		fmt.Printf("%s %s\n", strings.Join(image.Tags, " "), image.Tar)
	}
	return 0, nil
}

func listCommand(_ context.Context, args []string) (int, error) {
	flags, cache := flagsOf("list")
	if err := flags.Parse(args); err != nil {
		return exitUsage, err
	}
	cacheDir, err := cacheOf(*cache)
	if err != nil {
		return 1, err
	}
	return 0, list(os.Stdout, cacheDir)
}

func list(w io.Writer, cacheDir string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tVERSION\tMIB\tARCHIVE")
	for _, r := range recipes() {
		rec, err := lookUp(cacheDir, r)
		if errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(table, "%s\tnot built\t\t\n", r.name())
			continue
		}
		if err != nil {
			return err
		}
		info, err := os.Stat(rec.Image.Tar)
		if err != nil {
			return fmt.Errorf("measuring an image: %w", err)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\n", r.name(), rec.Image.Version, info.Size()>>20, rec.Image.Tar)
	}
	return table.Flush()
}
