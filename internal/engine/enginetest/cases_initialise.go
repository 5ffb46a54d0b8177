package enginetest

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var initialiseCases = []Case{
	{"initialise makes a complete directory, once", func(t *testing.T, m *Member) {
		m = m.suite.emptyMember(t, "")
		expectInitialised(t, m, false)
		Must(t, m.Driver.Initialise(m.Context(t, startTime)))
		expectInitialised(t, m, true)
		expectEmpty(t, m.Config.Paths.TmpDir)
		before, err := os.Stat(m.Config.Paths.DataDir)
		Must(t, err)
		Must(t, m.Driver.Initialise(m.Context(t, startTime)))
		after, err := os.Stat(m.Config.Paths.DataDir)
		Must(t, err)
		if !os.SameFile(before, after) {
			t.Error("initialising again made another directory")
		}
	}},
	{"an interrupted initialisation never looks complete, and the next one succeeds", func(t *testing.T, m *Member) {
		for _, after := range []time.Duration{20 * time.Millisecond, 150 * time.Millisecond, 400 * time.Millisecond} {
			m = m.suite.emptyMember(t, "")
			ctx, cancel := context.WithTimeout(t.Context(), after)
			defer cancel()
			if err := m.Driver.Initialise(ctx); err == nil {
				t.Logf("it took less than %s", after)
				continue
			}
			expectInitialised(t, m, false)
			Must(t, m.Driver.Initialise(m.Context(t, startTime)))
			expectInitialised(t, m, true)
			expectEmpty(t, m.Config.Paths.TmpDir)
		}
	}},
	{"a directory with something else in it is refused and left alone", func(t *testing.T, m *Member) {
		m = m.suite.emptyMember(t, "")
		Must(t, os.Mkdir(m.Config.Paths.DataDir, 0o700))
		foreign := filepath.Join(m.Config.Paths.DataDir, "somebody's file")
		Must(t, os.WriteFile(foreign, []byte("x"), 0o600))
		expectInitialised(t, m, false)
		if err := m.Driver.Initialise(m.Context(t, startTime)); err == nil {
			t.Error("it was initialised")
		}
		if _, err := os.Stat(foreign); err != nil {
			t.Error(err)
		}
	}},
	{"a directory opened to the group, as fsGroup leaves it, starts", func(t *testing.T, m *Member) {
		Must(t, filepath.WalkDir(m.Config.Paths.DataDir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.Type()&os.ModeSymlink != 0 {
				return err
			}
			if entry.IsDir() {
				return os.Chmod(path, 0o770|os.ModeSetgid)
			}
			return os.Chmod(path, 0o660)
		}))
		m.Start(t)
	}},
}

func expectInitialised(t *testing.T, m *Member, want bool) {
	t.Helper()
	got, err := m.Driver.Initialised()
	Must(t, err)
	if got != want {
		t.Fatalf("Initialised = %t, want %t", got, want)
	}
}

func expectEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	Must(t, err)
	if len(entries) > 0 {
		t.Errorf("%s still holds %v", dir, entries)
	}
}
