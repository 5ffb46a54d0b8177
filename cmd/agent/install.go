package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/myuser/db-operator/internal/pod"
)

// install is the init container: it leaves the agent and a passwd file in a
// folder that the engine's container mounts. It may run any number of times.
func install(args []string) int {
	flags := flag.NewFlagSet("agent install", flag.ContinueOnError)
	to := flags.String("to", "", "`folder` to put the program and passwd into")
	user := flags.String("user", "", "`name` that the uid of this process bears in the engine's container")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if *to == "" || *user == "" {
		fmt.Fprintln(os.Stderr, "agent install: --to and --user must both be set")
		return 2
	}
	if err := installTo(*to, *user, os.Getuid(), os.Getgid()); err != nil {
		fmt.Fprintln(os.Stderr, "agent install:", err)
		return 1
	}
	return 0
}

func installTo(dir, user string, uid, gid int) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	if err := copyProgram(self, filepath.Join(dir, filepath.Base(pod.AgentPath))); err != nil {
		return fmt.Errorf("copying the agent: %w", err)
	}
	text := []byte(passwd(user, uid, gid))
	// In place: the file may be mounted by itself already.
	if err := os.WriteFile(filepath.Join(dir, pod.Passwd), text, 0o644); err != nil {
		return fmt.Errorf("writing the passwd file: %w", err)
	}
	return nil
}

// passwd gives every uid a name. The engine's stands first, because the first
// line of a uid counts: engines refuse to run without a name, and local logins
// are granted to it.
func passwd(user string, uid, gid int) string {
	lines := []string{fmt.Sprintf("%s:x:%d:%d::/tmp:/bin/sh", user, uid, gid)}
	if user != "root" {
		lines = append(lines, "root:x:0:0:root:/root:/bin/sh")
	}
	lines = append(lines, "nobody:x:65534:65534:nobody:/nonexistent:/bin/false")
	return strings.Join(lines, "\n") + "\n"
}

// copyProgram replaces the target as a whole, so that one that runs is left be.
func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	next := to + ".new"
	target, err := os.OpenFile(next, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err := errors.Join(err, target.Close()); err != nil {
		return err
	}
	return os.Rename(next, to)
}
