package images

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

// The test binary plays three parts beside its own: the program that calls Run
// ("runner"), process 1 of the namespaces (by the init of this package), and the
// command that runs there ("probe"). So no image is needed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "runner":
			os.Exit(runner(os.Args[2]))
		case "probe":
			os.Exit(probe(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

func runner(encoded string) int {
	var s spec
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitSetup
	}
	limit, _ := strconv.ParseInt(os.Getenv("LIMIT"), 10, 64)
	group, err := newCgroup(limit)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return exitSetup
	}
	defer group.remove()
	s.Cgroup = group.path
	code, err := start(s, group, false)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return code
}

// sight is what the probe sees from inside.
type sight struct {
	PID, UID, GID  int
	Hostname       string
	Interfaces     []string
	RootWrite      string
	TmpWrite       string
	ReadOnlyBind   string
	Bind           string
	RunFolder      string
	SmallBytes     int64
	NoNewPrivs     int
	Home           string
	OwnTmpfsIsMine bool
}

func probe(what string) int {
	switch what {
	case "look":
		return look()
	case "cat":
		io.Copy(os.Stdout, os.Stdin)
		return 7
	case "wait": // until SIGTERM
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		fmt.Println("ready")
		<-signals
		return 9
	case "linger": // with a child, immune to SIGTERM
		signal.Ignore(syscall.SIGTERM)
		child := exec.Command("/probe", "probe", "linger-child")
		if err := child.Start(); err != nil {
			return 1
		}
		fmt.Println("ready")
		unix.Pause()
	case "linger-child":
		unix.Pause()
	}
	return 1
}

func look() int {
	s := sight{PID: os.Getpid(), UID: os.Getuid(), GID: os.Getgid(), Home: os.Getenv("HOME")}
	s.Hostname, _ = os.Hostname()
	interfaces, _ := net.Interfaces()
	for _, i := range interfaces {
		s.Interfaces = append(s.Interfaces, fmt.Sprintf("%s up=%t", i.Name, i.Flags&net.FlagUp != 0))
	}
	s.RootWrite = outcome(os.WriteFile("/x", nil, 0o644))
	s.TmpWrite = outcome(os.WriteFile("/tmp/x", nil, 0o644))
	s.ReadOnlyBind = outcome(os.WriteFile("/readonly/x", nil, 0o644))
	s.Bind = outcome(os.WriteFile("/data/x", []byte("from inside"), 0o644))
	if info, err := os.Stat("/var/run/engine"); err == nil {
		s.RunFolder = info.Mode().String()
	}
	var fs unix.Statfs_t
	if err := unix.Statfs("/small", &fs); err == nil {
		s.SmallBytes = int64(fs.Blocks) * fs.Bsize
	}
	s.OwnTmpfsIsMine = os.WriteFile("/small/x", nil, 0o600) == nil
	s.NoNewPrivs, _ = unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	encoded, err := json.Marshal(s)
	if err != nil {
		return 1
	}
	fmt.Println(string(encoded))
	return 0
}

func outcome(err error) string {
	if err == nil {
		return "ok"
	}
	if errno, ok := err.(*os.PathError); ok {
		return errno.Err.Error()
	}
	return err.Error()
}

// smallRoot makes a root file system of the test binary and little else.
func smallRoot(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("namespaces and mounts need root")
	}
	root := filepath.Join(t.TempDir(), "rootfs")
	for name, mode := range map[string]os.FileMode{"etc": 0o755, "run/engine": 0o777, "var": 0o755} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(root, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/run", filepath.Join(root, "var/run")); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "probe"), content, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "etc/passwd"), []byte("e:x:999:999::/home/e:/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return root
}

func runnerFor(t *testing.T, root string, options RunOptions) *exec.Cmd {
	t.Helper()
	// The test binary may be linked against the machine's libc.
	for _, folder := range []string{"/lib", "/lib64"} {
		if _, err := os.Stat(folder); err == nil {
			options.Binds = append(options.Binds, Bind{Source: folder, Target: folder, ReadOnly: true})
		}
	}
	s, err := specOf(root, record{}, options)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("/proc/self/exe", "runner", string(encoded))
	command.Stderr = os.Stderr
	return command
}

func TestRunLooksLikeAPod(t *testing.T) {
	root, data, other := smallRoot(t), t.TempDir(), t.TempDir()
	if err := os.Chmod(data, 0o777); err != nil {
		t.Fatal(err)
	}
	command := runnerFor(t, root, RunOptions{
		User: "999:998", Command: []string{"/probe", "probe", "look"},
		Binds: []Bind{{Source: data, Target: "/data"}, {Source: other, Target: "/readonly", ReadOnly: true}},
		Tmpfs: map[string]string{"/small": "8m"},
	})
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	var got sight
	if err := json.Unmarshal(output, &got); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	want := sight{
		PID: 1, UID: 999, GID: 998, Hostname: "image-run", Home: "/home/e", Interfaces: []string{"lo up=true"},
		RootWrite: "read-only file system", TmpWrite: "ok", ReadOnlyBind: "read-only file system", Bind: "ok",
		RunFolder: "drwxrwxrwx", SmallBytes: 8 << 20, NoNewPrivs: 1, OwnTmpfsIsMine: true,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected sight (-want +got):\n%s", diff)
	}
	if inside, err := os.ReadFile(filepath.Join(data, "x")); err != nil || string(inside) != "from inside" {
		t.Errorf("the bind shows %q, %v", inside, err)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 4 {
		t.Errorf("the shared root file system was changed: %v %v", left, err)
	}
}

func TestRunPassesStreamsAndExitCode(t *testing.T) {
	command := runnerFor(t, smallRoot(t), RunOptions{Command: []string{"/probe", "probe", "cat"}})
	command.Stdin = strings.NewReader("through")
	output, err := command.Output()
	if string(output) != "through" || command.ProcessState.ExitCode() != 7 {
		t.Errorf("output %q, %v; want what was put in and exit code 7", output, err)
	}
}

func TestRunSaysWhyItCannotStart(t *testing.T) {
	root := smallRoot(t)
	for name, test := range map[string]struct {
		command []string
		code    int
		want    string
	}{
		"a command that is not in the PATH": {[]string{"nothing"}, exitNotFound, "not in the PATH"},
		"a file that is no program":         {[]string{"/etc/passwd"}, exitExecute, "executing /etc/passwd"},
		"no command at all":                 {nil, exitNotFound, "no command given"},
	} {
		t.Run(name, func(t *testing.T) {
			var stderr bytes.Buffer
			command := runnerFor(t, root, RunOptions{Command: test.command})
			command.Stderr = &stderr
			command.Run()
			if command.ProcessState.ExitCode() != test.code || !strings.Contains(stderr.String(), test.want) {
				t.Errorf("exit code %d, %q; want %d and %q", command.ProcessState.ExitCode(), stderr.String(), test.code, test.want)
			}
		})
	}
}

// startReady starts a probe and waits until it says that it is ready.
func startReady(t *testing.T, command *exec.Cmd) {
	t.Helper()
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill(); command.Wait() })
	if n, err := output.Read(make([]byte, 16)); n == 0 {
		t.Fatalf("the probe did not start: %v", err)
	}
}

func TestRunForwardsSIGTERM(t *testing.T) {
	command := runnerFor(t, smallRoot(t), RunOptions{Command: []string{"/probe", "probe", "wait"}})
	startReady(t, command)
	if err := command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	command.Wait()
	if code := command.ProcessState.ExitCode(); code != 9 {
		t.Errorf("exit code %d, want the command's own 9", code)
	}
}

// Neither a user of its own nor a deaf command with a child outlives its parent.
func TestNothingOutlivesAKilledRunner(t *testing.T) {
	for _, user := range []string{"0:0", "999:999"} {
		t.Run("as "+user, func(t *testing.T) {
			root := smallRoot(t)
			mark := "marked-" + strconv.Itoa(os.Getpid()) + "-" + user
			command := runnerFor(t, root, RunOptions{User: user, Command: []string{"/probe", "probe", "linger", mark}})
			startReady(t, command)
			if processesWith(t, mark) == 0 {
				t.Fatal("the probe is not to be found")
			}
			command.Process.Kill()
			deadline := time.Now().Add(10 * time.Second)
			ticker := time.NewTicker(20 * time.Millisecond)
			defer ticker.Stop()
			for processesWith(t, mark) > 0 {
				if time.Now().After(deadline) {
					t.Fatal("processes are left 10 s after the runner was killed")
				}
				<-ticker.C
			}
		})
	}
}

// processesWith counts living processes with the word in their command line.
// The runner is not counted: it carries the word inside its specification.
func processesWith(t *testing.T, word string) int {
	t.Helper()
	names, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, name := range names {
		line, err := os.ReadFile(name)
		if err == nil && bytes.HasSuffix(line, []byte("\x00"+word+"\x00")) {
			count++
		}
	}
	return count
}

func TestRunLimitsMemory(t *testing.T) {
	root := smallRoot(t)
	command := runnerFor(t, root, RunOptions{Command: []string{"/probe", "probe", "wait"}})
	command.Env = append(os.Environ(), "LIMIT="+strconv.Itoa(64<<20))
	startReady(t, command)
	own, err := os.ReadFile("/proc/" + strconv.Itoa(command.Process.Pid) + "/cgroup")
	if err != nil {
		t.Fatal(err)
	}
	group := cgroupFor(string(own), dirExists("/sys/fs/cgroup/memory"))
	path := filepath.Join(filepath.Dir(group.path), "devcluster-run-"+strconv.Itoa(command.Process.Pid))
	file := "memory.limit_in_bytes"
	if group.v2 {
		file = "memory.max"
	}
	limit, err := os.ReadFile(filepath.Join(path, file))
	if err != nil || strings.TrimSpace(string(limit)) != strconv.Itoa(64<<20) {
		t.Errorf("limit %q, %v", limit, err)
	}
	command.Process.Signal(syscall.SIGTERM)
	command.Wait()
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the cgroup is left: %v", err)
	}
}
