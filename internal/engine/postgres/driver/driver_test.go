package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
	"github.com/myuser/db-operator/internal/ha"
)

func testDriver(t *testing.T) *Driver {
	t.Helper()
	root := t.TempDir()
	paths := engine.Paths{
		DataDir: filepath.Join(root, "data"), ConfigDir: filepath.Join(root, "config"),
		TmpDir: filepath.Join(root, "tmp"), RunDir: filepath.Join(root, "run"),
	}
	for _, dir := range []string{filepath.Join(paths.DataDir, "pg_wal"), paths.ConfigDir, paths.TmpDir, paths.RunDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return New(paths)
}

func TestInitialisedNeedsEveryFile(t *testing.T) {
	d := testDriver(t)
	for _, name := range []string{"PG_VERSION", "global/pg_control"} {
		if done, err := d.Initialised(); done || err != nil {
			t.Errorf("without %s: %t, %v", name, done, err)
		}
		path := filepath.Join(d.paths.DataDir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if done, err := d.Initialised(); !done || err != nil {
		t.Errorf("with all: %t, %v", done, err)
	}
}

func TestNothingIsDoneWithoutAServer(t *testing.T) {
	d := testDriver(t)
	ctx := t.Context()
	if _, err := d.Probe(ctx); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("Probe: %v", err)
	}
	if _, err := d.Barrier(ctx, ha.Session{Term: 1, Incarnation: 1}); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("Barrier: %v", err)
	}
	if err := d.WriteProbe(ctx); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("WriteProbe: %v", err)
	}
	if _, err := d.Stats(ctx); !errors.Is(err, engine.ErrNotRunning) {
		t.Errorf("Stats: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestPidFilesOfOthersAreNotBelieved(t *testing.T) {
	d := testDriver(t)
	for name, text := range map[string]string{
		"this test's own": fmt.Sprintf("%d\n/data\n", os.Getpid()),
		"nobody's":        "999999999\n", "no number": "x\n", "an empty file": "", "process 1": "1\n", "a negative one": "-5\n",
	} {
		if err := os.WriteFile(d.pidFile(), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if pid, err := d.postmaster(); !errors.Is(err, engine.ErrNotRunning) || pid == 0 {
			t.Errorf("%s: %d, %v", name, pid, err)
		}
		if err := d.removeStalePidFile(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(d.pidFile()); err == nil {
			t.Errorf("%s: the file is still there", name)
		}
	}
	if pid, err := d.postmaster(); !errors.Is(err, engine.ErrNotRunning) || pid != 0 {
		t.Errorf("no file: %d, %v", pid, err)
	}
}

func TestPositionIsUnknownUntilRecoveryParksTwice(t *testing.T) {
	d := testDriver(t)
	lsn, later := "0/3000000", "0/4000000"
	at := func(started, lsn string, parked, received bool) looked {
		return looked{standby: true, lsn: &lsn, timeline: 1, started: started, parked: parked, received: received}
	}
	for i, c := range []struct {
		l     looked
		known bool
	}{
		{at("a", lsn, false, false), false},
		{at("a", lsn, true, false), false},
		{at("a", lsn, true, false), true},
		{at("a", later, true, false), false}, // more log came
		{at("a", later, true, false), true},
		{at("a", later, false, false), false}, // it reads again
		{at("a", later, true, false), false},
		{at("b", later, true, false), false}, // another run of the server
		{at("b", later, true, false), true},
		{at("b", later, false, true), true}, // a source has sent something
		{looked{standby: true, timeline: 1}, false},
	} {
		position, known := d.position(c.l)
		if known != c.known || known && position.(postgres.Position).LSN.String() != *c.l.lsn {
			t.Errorf("look %d: %v, %t, want %t", i, position, known, c.known)
		}
	}
}

func TestPositionNeedsItsHistory(t *testing.T) {
	d := testDriver(t)
	lsn := "0/5000000"
	l := looked{lsn: &lsn, walFile: "000000020000000000000005"}
	if _, known := d.position(l); known {
		t.Error("known without a history file")
	}
	path := filepath.Join(d.paths.DataDir, "pg_wal", "00000002.history")
	if err := os.WriteFile(path, []byte("1\t0/4000000\tno recovery target specified\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	position, known := d.position(l)
	if !known || position.(postgres.Position).History[0].At != 0x4000000 {
		t.Errorf("%v, %t", position, known)
	}
}

func TestComplaintsAreTheServersWords(t *testing.T) {
	output := "2026-11-30 09:58:47.145 UTC [1] LOG:  invalid value for parameter \"TimeZone\": \"X\"\n" +
		"2026-11-30 09:58:47.145 GMT [1] FATAL:  configuration file \"/x/postgresql.conf\" contains errors\n"
	if got, want := complaints([]byte(output)), `invalid value for parameter "TimeZone": "X"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Only the server's own answer is a refusal: nobody asks again after one.
func TestAServerThatGaveNoAnswerHasRefusedNothing(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		refused bool
	}{
		"it says no":        {"echo 'FATAL:  no'; exit 1", true},
		"it is killed":      {"kill -9 $$", false},
		"it takes too long": {"exec sleep 60", false},
	} {
		t.Run(name, func(t *testing.T) {
			d, programs := testDriver(t), t.TempDir()
			for _, file := range []string{"PG_VERSION", "global/pg_control"} {
				path := filepath.Join(d.paths.DataDir, file)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(programs, "postgres"), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := d.tryConfig(ctx, engine.Config{Version: "17", Memory: 1 << 30, Paths: d.paths})
			if err == nil || errors.Is(err, engine.ErrConfigRefused) != c.refused {
				t.Errorf("%v, want a refusal: %t", err, c.refused)
			}
		})
	}
}

func TestReplaceWritesOnlyWhatDiffers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	var first os.FileInfo
	for _, content := range []string{"a", "a", "b"} {
		if err := replace(path, content); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != content {
			t.Fatalf("%q, %v", text, err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = info
		}
		if os.SameFile(first, info) != (content == "a") {
			t.Errorf("%q: the file was replaced: %t", content, !os.SameFile(first, info))
		}
	}
}
