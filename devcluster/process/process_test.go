package process_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/myuser/db-operator/devcluster/process"
)

// TestMain lets the test binary become the programs that it starts.
func TestMain(m *testing.M) {
	process.Become(os.Args)
	os.Exit(m.Run())
}

func TestProcessIsStartedOnceAndStopped(t *testing.T) {
	dir := t.TempDir()
	table := process.Table{Dir: filepath.Join(dir, "processes")}
	spec := process.Spec{Name: "sleeper", Args: []string{"/bin/sleep", "60"}, Log: filepath.Join(dir, "log", "sleeper.log")}
	if table.Alive("sleeper") {
		t.Error("a process that was never started is alive")
	}
	if started, err := table.Ensure(spec); err != nil || !started {
		t.Fatalf("Ensure = %t, %v", started, err)
	}
	pid := table.PID("sleeper")
	if started, err := table.Ensure(spec); err != nil || started || table.PID("sleeper") != pid {
		t.Errorf("a second Ensure = %t, %v; pid %d, then %d", started, err, pid, table.PID("sleeper"))
	}
	if err := table.Stop(t.Context(), "sleeper", time.Second); err != nil {
		t.Fatal(err)
	}
	if table.Alive("sleeper") || table.PID("sleeper") != 0 {
		t.Error("a stopped process is alive")
	}
}

func TestReusedPIDIsNotTakenForTheProcess(t *testing.T) {
	table := process.Table{Dir: t.TempDir()}
	record := []byte(`{"pid":` + "1" + `,"started":"another"}`)
	if err := os.WriteFile(filepath.Join(table.Dir, "x.json"), record, 0o644); err != nil {
		t.Fatal(err)
	}
	if table.Alive("x") {
		t.Error("process 1 was taken for ours")
	}
}

func TestProgramThatCannotStartSaysSoInItsLog(t *testing.T) {
	dir := t.TempDir()
	table := process.Table{Dir: dir}
	log := filepath.Join(dir, "absent.log")
	if _, err := table.Ensure(process.Spec{Name: "absent", Args: []string{"/no/such/program"}, Log: log}); err != nil {
		t.Fatal(err)
	}
	ticker := time.NewTicker(10 * time.Millisecond)
	defer ticker.Stop()
	for deadline := time.Now().Add(5 * time.Second); ; <-ticker.C {
		if content, _ := os.ReadFile(log); strings.Contains(string(content), "/no/such/program") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the log does not name the program")
		}
	}
}
