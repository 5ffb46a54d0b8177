package supervise_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/engine"
)

// programVar makes the test binary behave as one of the programs below.
const programVar = "SUPERVISE_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if name := os.Getenv(programVar); name != "" {
		programs[name](os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var programs = map[string]func(args []string){
	// An engine with three backends, each a session of its own and deaf to
	// polite signals, one of which has an orphan below it.
	"engine": func([]string) {
		for range 2 {
			spawn("backend")
		}
		spawn("forker")
		<-time.After(time.Hour)
	},
	"plain engine": func([]string) {
		for range 3 {
			spawn("backend")
		}
		<-time.After(time.Hour)
	},
	"backend": func([]string) {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
		fmt.Println("backend", os.Getpid())
		<-time.After(time.Hour)
	},
	"forker": func([]string) { spawn("backend") },
	"lines":  func(args []string) { fmt.Print(strings.Join(args, "\n") + "\n") },
	"flood":  func([]string) { fmt.Print(strings.Repeat("a line of output\n", 200_000)) },
	"exit":   func(args []string) { code, _ := strconv.Atoi(args[0]); os.Exit(code) },
	"stopper": func([]string) {
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGINT)
		fmt.Println("up")
		<-stop
		os.Exit(7)
	},
	"agent": agentProgram,
	"guardian": func([]string) {
		os.Exit(supervise.RunGuardian(context.Background(), slog.New(slog.DiscardHandler)))
	},
}

func spawn(name string, args ...string) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{programVar + "=" + name}
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
}

func program(name string, args ...string) engine.Process {
	return engine.Process{Path: os.Args[0], Args: args, Env: []string{programVar + "=" + name}, Log: plain}
}

// plain knows two marks: "!" begins an error, a tab continues a record.
func plain(line string) engine.LogLine {
	switch line[0] {
	case '!':
		return engine.LogLine{Level: "error", Code: "E1", Message: line[1:]}
	case '\t':
		return engine.LogLine{Message: line[1:], Continuation: true}
	}
	return engine.LogLine{Message: line}
}

// journal is a log that can be searched while it is written.
type journal struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.buf.Write(p)
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewJSONHandler(j, nil))
}

// messages are the records so far.
func (j *journal) messages() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	var all []string
	for line := range strings.Lines(j.buf.String()) {
		var record struct {
			Level, Msg, Code string
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			panic(err)
		}
		all = append(all, strings.TrimSpace(record.Level+" "+record.Code+" "+record.Msg))
	}
	return all
}

// backends waits until n backends have said their pid.
func (j *journal) backends(t *testing.T, n int) []int {
	t.Helper()
	var pids []int
	eventually(t, "backends start", func() bool {
		pids = nil
		for _, message := range j.messages() {
			if _, pid, ok := strings.Cut(message, "backend "); ok {
				number, _ := strconv.Atoi(pid)
				pids = append(pids, number)
			}
		}
		return len(pids) == n
	})
	return pids
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	deadline := time.After(20 * time.Second)
	for !ok() {
		select {
		case <-ticker.C:
		case <-deadline:
			t.Fatalf("waited too long: %s", what)
		}
	}
}

func start(t *testing.T, p engine.Process, logger *slog.Logger) *supervise.Child {
	t.Helper()
	child, err := supervise.Start(p, logger)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := supervise.Fence(context.Background(), child); err != nil {
			t.Error(err)
		}
	})
	return child
}

func wait(t *testing.T, child *supervise.Child) supervise.Exit {
	t.Helper()
	select {
	case <-child.Exited():
	case <-time.After(20 * time.Second):
		t.Fatal("child did not exit")
	}
	return child.Exit()
}

// exists is true for zombies too: a fence leaves none.
func exists(pid int) bool { return syscall.Kill(pid, 0) == nil }

func TestFenceLeavesNothingOfTheEngine(t *testing.T) {
	var log journal
	child := start(t, program("engine"), log.logger())
	pids := log.backends(t, 3)

	if err := supervise.Fence(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	for _, pid := range append(pids, child.Pid()) {
		if exists(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	if got, want := child.Exit().String(), "killed by killed"; got != want {
		t.Errorf("exit is %q, want %q", got, want)
	}
}

func TestFenceFindsWhatADeadEngineLeftBehind(t *testing.T) {
	var log journal
	child := start(t, program("engine"), log.logger())
	pids := log.backends(t, 3)
	if err := child.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, child)
	for _, pid := range pids {
		if !exists(pid) {
			t.Errorf("backend %d died with the engine: the test shows nothing", pid)
		}
	}
	if err := supervise.Fence(t.Context(), child); err != nil {
		t.Fatal(err)
	}
	for _, pid := range pids {
		if exists(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestFenceOfAStoppedEngineDoesNothing(t *testing.T) {
	if err := supervise.Fence(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

func TestReapTakesOrphansAndNoStatusOfAnOwner(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var reaper sync.WaitGroup
	reaper.Go(func() { supervise.Reap(ctx) })
	defer reaper.Wait()
	defer cancel()

	var log journal
	start(t, program("engine"), log.logger())
	orphan := 0
	eventually(t, "the forker's backend comes to us", func() bool {
		for _, pid := range log.backends(t, 3) {
			if parent(pid) == os.Getpid() {
				orphan = pid
			}
		}
		return orphan != 0
	})
	if err := syscall.Kill(orphan, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 50 {
		if exit := wait(t, start(t, program("exit", "3"), log.logger())); exit.Code != 3 {
			t.Fatalf("exit is %v, want code 3", exit)
		}
		if err := exec.Command("/bin/true").Run(); err != nil {
			t.Fatalf("a short command lost its status: %v", err)
		}
	}
	eventually(t, "the orphan is collected", func() bool { return !exists(orphan) })
}

func parent(pid int) int {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	number, _ := strconv.Atoi(fields[1])
	return number
}

func TestStartTellsHowTheChildEnded(t *testing.T) {
	var log journal
	child := start(t, program("stopper"), log.logger())
	eventually(t, "the program is up", func() bool { return len(log.messages()) == 1 })
	if err := child.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if got, want := wait(t, child), (supervise.Exit{Code: 7}); got != want {
		t.Errorf("exit is %v, want %v", got, want)
	}
	if err := child.Signal(syscall.SIGINT); err != nil {
		t.Errorf("signalling a process that has ended: %v", err)
	}
}

func TestStartRefusesAMissingProgram(t *testing.T) {
	_, err := supervise.Start(engine.Process{Path: "/nonexistent/engine"}, slog.New(slog.DiscardHandler))
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/engine") {
		t.Errorf("error is %v, want one that names the program", err)
	}
}

func TestStartRaisesTheOOMScore(t *testing.T) {
	var log journal
	child := start(t, program("stopper"), log.logger())
	own, theirs := oomScore(t, os.Getpid()), oomScore(t, child.Pid())
	if want := min(own+200, 1000); theirs != want {
		t.Errorf("score is %d, want %d", theirs, want)
	}
}

func oomScore(t *testing.T, pid int) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/oom_score_adj", pid))
	if err != nil {
		t.Fatal(err)
	}
	score, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return score
}

func TestOutputBecomesRecords(t *testing.T) {
	var log journal
	child := start(t, program("lines", "hello", "!it broke", "\tand this is why", strings.Repeat("x", 20_000), "after"), log.logger())
	wait(t, child)
	if diff := cmp.Diff([]string{"it broke\nand this is why"}, child.LastErrors()); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
	want := []string{"INFO  hello", "ERROR E1 it broke\nand this is why", "INFO  " + strings.Repeat("x", 8<<10), "INFO  after"}
	eventually(t, "all records", func() bool { return len(log.messages()) == len(want) })
	if diff := cmp.Diff(want, log.messages()); diff != "" {
		t.Errorf("records (-want +got):\n%s", diff)
	}
}

// stuck is a log whose reader never comes.
type stuck struct{ release chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.release
	return len(p), nil
}

func TestAStuckLogDoesNotBlockTheEngine(t *testing.T) {
	log := stuck{make(chan struct{})}
	defer close(log.release)
	child := start(t, program("flood"), slog.New(slog.NewJSONHandler(log, nil)))
	if exit := wait(t, child); exit.Code != 0 {
		t.Errorf("exit is %v, want success", exit)
	}
}
