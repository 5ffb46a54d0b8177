package driver

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	client "github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestAccountStatements(t *testing.T) {
	got := accountStatements([]string{"db-0", "db-1"})
	path := filepath.Join("testdata", "accounts.sql")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", path, diff)
	}
}

func TestParseLog(t *testing.T) {
	at := time.Date(2026, 11, 30, 10, 1, 14, 756898000, time.UTC)
	for name, c := range map[string]struct {
		line string
		want engine.LogLine
	}{
		"a message of the system": {
			"2026-11-30T10:01:14.756898Z 0 [System] [MY-010931] [Server] ready for connections.",
			engine.LogLine{Time: at, Level: "info", Code: "MY-010931", Message: "ready for connections."},
		},
		"an error of a thread": {
			"2026-11-30T10:01:14.756898Z 10 [ERROR] [MY-000035] [InnoDB] Disk is full [errno: 28]",
			engine.LogLine{Time: at, Level: "error", Code: "MY-000035", Message: "Disk is full [errno: 28]"},
		},
		"a warning in local time": {
			"2026-11-30T12:01:14.756898+02:00 0 [Warning] [MY-010068] [Server] self signed",
			engine.LogLine{Time: at, Level: "warning", Code: "MY-010068", Message: "self signed"},
		},
		"no head":       {"mysqld: something early", engine.LogLine{Message: "mysqld: something early"}},
		"an indent":     {"  #0 0x55bd58a89016 <unknown>", engine.LogLine{Message: "  #0 0x55bd58a89016 <unknown>", Continuation: true}},
		"an empty line": {"", engine.LogLine{Continuation: true}},
		"an impossible time": {
			"2026-13-30T10:01:14.756898Z 0 [System] [MY-010931] [Server] x",
			engine.LogLine{Message: "2026-13-30T10:01:14.756898Z 0 [System] [MY-010931] [Server] x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := ParseLog(c.line)
			got.Time = got.Time.UTC()
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add("2026-11-30T10:01:14.756898Z 0 [System] [MY-010931] [Server] ready")
	f.Add("\t")
	f.Fuzz(func(t *testing.T, line string) {
		got := ParseLog(line)
		if !strings.HasSuffix(line, got.Message) {
			t.Errorf("ParseLog(%q) made up %q", line, got.Message)
		}
	})
}

func TestLiteralOf(t *testing.T) {
	for value, want := range map[string]string{
		"70": "70", "-1": "-1", "2.5": "2.5",
		"64M": "67108864", "2g": "2147483648", "1K": "1024", "1T": "1099511627776",
		"99999999T": "'99999999T'", "9999999999999999999M": "'9999999999999999999M'",
		"on": "'on'", "true": "TRUE", "False": "FALSE",
		"": "''", "a'b\\c": `'a''b\\c'`, "1 OR 1": "'1 OR 1'", "1M;": "'1M;'",
	} {
		if got := literalOf(value); got != want {
			t.Errorf("literalOf(%q) = %s, want %s", value, got, want)
		}
	}
}

func FuzzTextStaysOneLiteral(f *testing.F) {
	f.Add(`'; DROP USER x; --`)
	f.Add("\\'\x00")
	f.Fuzz(func(t *testing.T, value string) {
		quoted := text(value)
		inner := strings.NewReplacer(`\\`, "", "''", "", `\0`, "").Replace(quoted[1 : len(quoted)-1])
		if strings.ContainsAny(inner, "'\\\x00") {
			t.Errorf("text(%q) = %s ends early", value, quoted)
		}
	})
}

func TestDiffering(t *testing.T) {
	got := differing(map[string]string{"same": "1", "changed": "1", "gone": "1"}, map[string]string{"same": "1", "changed": "2", "new": "1"})
	if diff := cmp.Diff([]string{"changed", "gone", "new"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestMissingRights(t *testing.T) {
	all := []string{
		"GRANT " + strings.Join(adminRights[:20], ", ") + " ON *.* TO `admin`@`%` WITH GRANT OPTION",
		"GRANT " + strings.Join(adminRights[20:], ",") + " ON *.* TO `admin`@`%` WITH GRANT OPTION",
	}
	if got := missingRights(all); len(got) > 0 {
		t.Errorf("%q are said to be missing", got)
	}
	if diff := cmp.Diff(adminRights[20:], missingRights(all[:1])); diff != "" {
		t.Error(diff)
	}
	if got := missingRights([]string{"GRANT SELECT ON `x`.* TO `admin`@`%`"}); len(got) != len(adminRights) {
		t.Errorf("a right on one schema counts for all: only %q are missing", got)
	}
}

// Only the server's own answer is a refusal: nobody asks again after one.
func TestAServerThatGaveNoAnswerHasRefusedNothing(t *testing.T) {
	for name, c := range map[string]struct {
		script  string
		refused bool
	}{
		"it says no":        {"echo no; exit 1", true},
		"it is killed":      {"kill -9 $$", false},
		"it takes too long": {"exec sleep 60", false},
	} {
		t.Run(name, func(t *testing.T) {
			programs := t.TempDir()
			if err := os.WriteFile(filepath.Join(programs, server), []byte("#!/bin/sh\n"+c.script+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", programs+":"+os.Getenv("PATH"))
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := validate(ctx, filepath.Join(t.TempDir(), "my.cnf"), "")
			if err == nil || errors.Is(err, engine.ErrConfigRefused) != c.refused {
				t.Errorf("%v, want a refusal: %t", err, c.refused)
			}
		})
	}
}

func TestAServerWithoutASessionLeftIsTold(t *testing.T) {
	err := reachable(fmt.Errorf("probing: %w", &client.MySQLError{Number: 1040, Message: "Too many connections"}))
	if !errors.Is(err, engine.ErrFull) || number(err) != errTooManyConnections {
		t.Error(err)
	}
}

func TestInitialiseRefusesWhatIsNotItsOwn(t *testing.T) {
	dir := t.TempDir()
	d := New(engine.Paths{DataDir: filepath.Join(dir, "data"), TmpDir: dir})
	if err := os.Mkdir(d.paths.DataDir, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(d.paths.DataDir, "file")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Initialise(t.Context()); err == nil {
		t.Error("a directory with somebody's file was initialised")
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
}

func TestTheServerSeesNoVariablesOfAService(t *testing.T) {
	t.Setenv("MYSQL_TCP_PORT", "tcp://10.96.0.1:3306")
	t.Setenv("TZ", "UTC")
	env := environment()
	if slices.Contains(env, "MYSQL_TCP_PORT=tcp://10.96.0.1:3306") || !slices.Contains(env, "TZ=UTC") {
		t.Errorf("the environment is %q", env)
	}
}
