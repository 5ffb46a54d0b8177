package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/myuser/db-operator/devcluster/console"
)

// Exit codes of Run for what is not the command's own, as of `docker run`.
const (
	exitSetup      = 125
	exitExecute    = 126
	exitNotFound   = 127
	exitSignalBase = 128
)

// stopGrace is how long a command may take after SIGTERM before everything in
// its namespaces is killed; Kubernetes gives as much by default.
const stopGrace = 30 * time.Second

// RunOptions say how Run runs a command.
type RunOptions struct {
	Image       string   // one of Known
	Command     []string // the image's own entrypoint and command when empty
	User        string   // uid:gid; the image's own when empty
	WorkingDir  string   // the image's own when empty
	Env         []string // NAME=VALUE, over the image's
	Binds       []Bind
	Tmpfs       map[string]string // path → size, over the defaults
	Memory      int64             // limit in bytes; 0 is none
	HostNetwork bool              // otherwise only a loopback of its own
}

// Bind shows a file or folder of the machine inside the image.
type Bind struct {
	Source   string
	Target   string
	ReadOnly bool
}

// defaultTmpfs is what every run has: path → size.
var defaultTmpfs = map[string]string{"/dev/shm": "64m", "/tmp": "1g", "/run": "64m"}

// Run runs a command as process 1 of a new mount, process, IPC and host name
// namespace, and of a new network with only loopback unless told otherwise. The
// image's root file system is read-only; /tmp, /run, /dev/shm are fresh and
// writable. Standard streams are this process's own, SIGINT, SIGTERM and SIGHUP
// are passed on. It blocks until the command ends and returns its exit code; by
// then every process in the namespaces is gone, and so they are when this process
// dies in any way. The image is built first if it is not in the cache. An error
// means that the command was not run. Root is needed.
func Run(ctx context.Context, cacheDir string, options RunOptions) (int, error) {
	r, err := recipeOf(options.Image)
	if err != nil {
		return exitSetup, err
	}
	rec, err := ensure(ctx, console.New(os.Stderr), cacheDir, r)
	if err != nil {
		return exitSetup, err
	}
	root, err := rootFS(ctx, rec.Image)
	if err != nil {
		return exitSetup, err
	}
	spec, err := specOf(root, rec, options)
	if err != nil {
		return exitSetup, err
	}
	group, err := newCgroup(options.Memory)
	if err != nil {
		return exitSetup, err
	}
	defer group.remove()
	spec.Cgroup = group.path
	return start(spec, group, options.HostNetwork)
}

func specOf(root string, rec record, options RunOptions) (spec, error) {
	user := options.User
	if user == "" {
		user = rec.Config.User
	}
	uid, gid, err := parseUser(user)
	if err != nil {
		return spec{}, err
	}
	command := options.Command
	if len(command) == 0 {
		command = append(append([]string{}, rec.Config.Entrypoint...), rec.Config.Cmd...)
	}
	workingDir := options.WorkingDir
	if workingDir == "" {
		workingDir = rec.Config.WorkingDir
	}
	if workingDir == "" {
		workingDir = "/"
	}
	passwd, err := os.ReadFile(filepath.Join(root, "etc/passwd"))
	if err != nil {
		return spec{}, fmt.Errorf("reading the accounts of the image: %w", err)
	}
	s := spec{
		RootFS: root, Command: command, WorkingDir: workingDir, UID: uid, GID: gid,
		Hostname: "image-run", Tmpfs: map[string]string{}, Loopback: !options.HostNetwork,
		// Later settings of a name win when the command looks it up.
		Env: mergeEnv([]string{"HOME=" + homeOf(string(passwd), uid), "HOSTNAME=image-run"}, rec.Config.Env, options.Env),
	}
	for _, sizes := range []map[string]string{defaultTmpfs, options.Tmpfs} {
		for path, size := range sizes {
			s.Tmpfs[filepath.Clean(path)] = size
		}
	}
	for _, bind := range options.Binds {
		bind.Source, err = filepath.Abs(bind.Source)
		if err != nil {
			return spec{}, fmt.Errorf("resolving a bind mount: %w", err)
		}
		s.Binds = append(s.Binds, bind)
	}
	return s, nil
}

// mergeEnv joins lists of NAME=VALUE; a later one wins.
func mergeEnv(lists ...[]string) []string {
	var merged []string
	at := map[string]int{}
	for _, list := range lists {
		for _, setting := range list {
			name, _, _ := strings.Cut(setting, "=")
			if index, found := at[name]; found {
				merged[index] = setting
				continue
			}
			at[name] = len(merged)
			merged = append(merged, setting)
		}
	}
	return merged
}

// start runs this program again as process 1 of the new namespaces; see init.go.
func start(s spec, group cgroup, hostNetwork bool) (int, error) {
	encoded, err := json.Marshal(s)
	if err != nil {
		return exitSetup, fmt.Errorf("encoding what to run: %w", err)
	}
	gate, hold, err := os.Pipe()
	if err != nil {
		return exitSetup, fmt.Errorf("making a pipe: %w", err)
	}
	defer hold.Close()
	flags := unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS
	if !hostNetwork {
		flags |= unix.CLONE_NEWNET
	}
	command := exec.Command("/proc/self/exe")
	command.Args = []string{initName, string(encoded)}
	command.Env = []string{}
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.ExtraFiles = []*os.File{gate}
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: uintptr(flags), Pdeathsig: syscall.SIGKILL}

	// The kernel sends the death signal when the thread that forked ends.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	err = command.Start()
	gate.Close()
	if err != nil {
		return exitSetup, fmt.Errorf("entering new namespaces: %w", err)
	}
	ended := make(chan struct{})
	forwarded := make(chan struct{})
	go func() {
		defer close(forwarded)
		forward(signals, command.Process, ended)
	}()
	err = group.add(command.Process.Pid)
	if err == nil {
		_, err = hold.Write([]byte{1}) // process 1 waits for this in its cgroup
	}
	if err != nil {
		command.Process.Kill()
	}
	waitErr := command.Wait()
	close(ended)
	<-forwarded
	if err != nil {
		return exitSetup, fmt.Errorf("limiting the command: %w", err)
	}
	return exitCode(command.ProcessState, waitErr)
}

// forward passes signals on until the command has ended. A command that does not
// end in time after one is killed, and all its namespaces with it: as process 1
// it is immune to signals that it does not handle.
func forward(signals <-chan os.Signal, process *os.Process, ended <-chan struct{}) {
	var expired <-chan time.Time
	for {
		select {
		case <-ended:
			return
		case <-expired:
			process.Kill()
		case received := <-signals:
			// A terminal has sent its interrupt to the command as well.
			if received != os.Interrupt || !isTerminal(os.Stdin) {
				process.Signal(received)
			}
			if expired == nil {
				timer := time.NewTimer(stopGrace)
				defer timer.Stop()
				expired = timer.C
			}
		}
	}
}

func isTerminal(file *os.File) bool {
	_, err := unix.IoctlGetTermios(int(file.Fd()), unix.TCGETS)
	return err == nil
}

func exitCode(state *os.ProcessState, err error) (int, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return exitSetup, fmt.Errorf("waiting for the command: %w", err)
	}
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitSignalBase + int(status.Signal()), nil
	}
	return state.ExitCode(), nil
}
