package images

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// initName is the argv[0] by which this program knows that it is process 1 of
// the namespaces that Run made.
const initName = "devcluster-image-init"

// gateFD is the reading end of a pipe whose writing end only Run holds: a byte
// lets process 1 go on, an end of file means that Run is dead.
const gateFD = 3

// spec is what process 1 does.
type spec struct {
	RootFS     string
	Command    []string
	WorkingDir string
	UID, GID   int
	Env        []string
	Hostname   string
	Binds      []Bind
	Tmpfs      map[string]string
	Cgroup     string
	Loopback   bool
}

// A program that imports this package becomes process 1 before its main runs,
// since namespaces are entered by running it again.
func init() {
	if os.Args[0] != initName || len(os.Args) != 2 {
		return
	}
	code, err := beInit(os.Args[1])
	fmt.Fprintf(os.Stderr, "image run: %v\n", err)
	os.Exit(code)
}

// beInit returns only when the command could not be started.
func beInit(encoded string) (int, error) {
	gate := os.NewFile(gateFD, "gate")
	if n, err := gate.Read(make([]byte, 1)); n != 1 {
		return exitSetup, fmt.Errorf("waiting for the start: %w", err)
	}
	var s spec
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		return exitSetup, fmt.Errorf("reading what to run: %w", err)
	}
	if err := s.prepare(); err != nil {
		return exitSetup, err
	}
	path, err := lookCommand(s.Command, s.Env)
	if err != nil {
		return exitNotFound, err
	}
	if err := s.dropPrivileges(); err != nil {
		return exitSetup, err
	}
	// Changing the user has cleared the death signal. If Run died before it was
	// set again, the pipe has ended.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return exitSetup, fmt.Errorf("tying the command to its parent: %w", err)
	}
	if ended, err := pipeEnded(gateFD); err != nil || ended {
		return exitSetup, errors.Join(errors.New("the parent is gone"), err)
	}
	gate.Close()
	err = syscall.Exec(path, s.Command, s.Env)
	return exitExecute, fmt.Errorf("executing %s: %w", path, err)
}

func (s spec) prepare() error {
	if err := unix.Sethostname([]byte(s.Hostname)); err != nil {
		return fmt.Errorf("setting the host name: %w", err)
	}
	if s.Loopback {
		if err := loopbackUp(); err != nil {
			return err
		}
	}
	if err := s.enterRoot(); err != nil {
		return err
	}
	if err := os.Chdir(s.WorkingDir); err != nil {
		return fmt.Errorf("entering the working folder: %w", err)
	}
	return nil
}

// loopbackUp raises the only interface of a new network namespace.
func loopbackUp() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("opening a socket to raise loopback: %w", err)
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("naming loopback: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("raising loopback: %w", err)
	}
	return nil
}

// dropPrivileges leaves what a pod of the "restricted" standard has: the user
// and group alone, and no way to gain more.
func (s spec) dropPrivileges() error {
	unix.Umask(0o022)
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up new privileges: %w", err)
	}
	if err := syscall.Setgroups([]int{s.GID}); err != nil {
		return fmt.Errorf("setting the groups: %w", err)
	}
	if err := syscall.Setgid(s.GID); err != nil {
		return fmt.Errorf("setting the group: %w", err)
	}
	if err := syscall.Setuid(s.UID); err != nil {
		return fmt.Errorf("setting the user: %w", err)
	}
	return nil
}

func pipeEnded(fd int) (bool, error) {
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		_, err := unix.Poll(poll, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		return poll[0].Revents&unix.POLLHUP != 0, err
	}
}

// lookCommand finds the program in the PATH of the image.
func lookCommand(command, env []string) (string, error) {
	if len(command) == 0 {
		return "", errors.New("no command given, and the image has none")
	}
	if strings.Contains(command[0], "/") {
		return command[0], nil
	}
	for _, setting := range env {
		list, found := strings.CutPrefix(setting, "PATH=")
		if !found {
			continue
		}
		for _, folder := range filepath.SplitList(list) {
			candidate := filepath.Join(folder, command[0])
			if info, err := os.Stat(candidate); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
				return candidate, nil
			}
		}
	}
	return "", fmt.Errorf("%s is not in the PATH of the image", command[0])
}
