//go:build conformance

package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/enginetest"
	"github.com/myuser/db-operator/internal/engine/postgres"
	"github.com/myuser/db-operator/internal/ha"
)

var table = flag.String("table", "", "write the server's table of settings to this file")

const verbTime = 20 * time.Second

// broughtByPatches are settings that a patch release added to a series: an
// older one of the series lacks them, and its own check of the files says so.
var broughtByPatches = []string{"composite_type_mismatch", "output_plugin_libraries"}

var cases = []enginetest.Case{
	{Name: "the stored table of settings is the server's own", Run: func(t *testing.T, m *enginetest.Member) {
		m.Start(t)
		var served strings.Builder
		rows, err := superuser(t, m).Query(t.Context(), `
			SELECT lower(name), vartype,
			       CASE WHEN context = 'internal' THEN '' ELSE coalesce(unit, '') END,
			       CASE WHEN context = 'internal' THEN '' ELSE coalesce(min_val, '') END,
			       CASE WHEN context = 'internal' THEN '' ELSE coalesce(max_val, '') END,
			       coalesce(array_to_string(enumvals, ','), ''), context
			FROM pg_settings WHERE name NOT LIKE '%.%' ORDER BY lower(name) COLLATE "C"`)
		enginetest.Must(t, err)
		var f [7]string
		_, err = pgx.ForEachRow(rows, []any{&f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6]}, func() error {
			served.WriteString(strings.Join(f[:], "\t") + "\n")
			return nil
		})
		enginetest.Must(t, err)
		if *table != "" {
			enginetest.Must(t, os.WriteFile(*table, []byte(served.String()), 0o644))
		}
		has := settled(served.String())
		series, _, _ := strings.Cut(m.Config.Version, ".")
		for name, facts := range settled(postgres.SettingsTable(series)) {
			if has[name] == "" && slices.Contains(broughtByPatches, name) {
				t.Logf("this patch release is older than %s", name)
				continue
			}
			if has[name] != facts {
				t.Errorf("%s is %q in the table and %q in the server", name, facts, has[name])
			}
			delete(has, name)
		}
		// A newer patch may bring settings; they are only not known yet.
		for name := range has {
			t.Logf("the table lacks %s; -table writes it anew", name)
		}
	}},
	{Name: "the check of parameters and the server agree on how values are written", Run: func(t *testing.T, m *enginetest.Member) {
		for name, values := range spellings {
			for _, value := range values {
				c := m.Config
				c.Parameters = map[string]string{name: value}
				problems := postgres.Profile{}.CheckParameters(c.Version, c.Parameters)
				_, err := m.Driver.Configure(deadline(t), c)
				if (len(problems) == 0) != (err == nil) {
					t.Errorf("%s = %q: the check says %v, the server %v", name, value, problems, err)
				}
			}
		}
	}},
	{Name: "a configuration that the server does not take is refused, and nothing changes", Run: func(t *testing.T, m *enginetest.Member) {
		m.Config.Parameters = map[string]string{"work_mem": "5MB"}
		m.Lead(t)
		before := readFiles(t, m.Config.Paths.ConfigDir)
		for name, value := range map[string]string{
			"timezone": "Nowhere/City", "no_such_setting": "1", "shared_preload_libraries": "no_such_library", "max_connections": "0",
		} {
			bad := m.Config
			bad.Parameters = map[string]string{name: value}
			_, err := m.Driver.Configure(deadline(t), bad)
			if !errors.Is(err, engine.ErrConfigRefused) {
				t.Errorf("%s = %s: %v", name, value, err)
			}
			t.Logf("%s = %s: %v", name, value, err)
		}
		if after := readFiles(t, m.Config.Paths.ConfigDir); after != before {
			t.Error("the files have changed")
		}
	}},
	{Name: "ALTER SYSTEM does not outlive a start", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		_, err := superuser(t, m).Exec(t.Context(), "ALTER SYSTEM SET fsync = off")
		t.Logf("ALTER SYSTEM: %v", err) // refused since 17
		m.Stop(t)
		file := filepath.Join(m.Config.Paths.DataDir, "postgresql.auto.conf")
		enginetest.Must(t, os.WriteFile(file, []byte("fsync = off\n"), 0o600))
		m.Start(t)
		var fsync string
		enginetest.Must(t, superuser(t, m).QueryRow(t.Context(), "SHOW fsync").Scan(&fsync))
		if fsync != "on" {
			t.Errorf("fsync is %s", fsync)
		}
	}},
	{Name: "checksums, locale and encoding are as meant", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		for query, want := range map[string]string{
			"SHOW data_checksums":      "on",
			"SHOW server_encoding":     "UTF8",
			"SHOW password_encryption": "scram-sha-256",
			"SELECT datcollate || ' ' || datctype FROM pg_database WHERE datname = 'app'":                                  "C.UTF-8 C.UTF-8",
			"SELECT count(*)::text FROM pg_authid WHERE rolpassword IS NOT NULL AND rolpassword NOT LIKE 'SCRAM-SHA-256%'": "0",
			"SELECT count(*)::text FROM pg_authid WHERE rolreplication AND rolpassword IS NOT NULL":                        "0",
			"SELECT count(*)::text FROM pg_authid WHERE rolsuper":                                                          "1",
		} {
			var got string
			enginetest.Must(t, superuser(t, m).QueryRow(t.Context(), query).Scan(&got))
			if got != want {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
	}},
	{Name: "the superuser is refused on every network address", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		_, err := superuser(t, m).Exec(t.Context(), "ALTER ROLE postgres PASSWORD 'known'")
		enginetest.Must(t, err)
		for _, host := range []string{"127.0.0.1", "::1"} {
			l := m.Login(engine.Credential{Name: "postgres", Password: "known"})
			l.Address, l.Database = net.JoinHostPort(host, "5432"), "postgres"
			if err := m.TryLogin(t.Context(), l); err == nil || !strings.Contains(err.Error(), "28000") {
				t.Errorf("%s: %v", host, err)
			}
		}
	}},
	{Name: "a login that had begun does not slip in when the gate closes", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		conn, halfway := beginLogin(t, m)
		m.SetGate(t, engine.GateClosed)
		enginetest.Must(t, conn.SetReadDeadline(time.Now().Add(time.Second)))
		for {
			_, err := halfway.Receive() // a last word of the server is fine
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the server still waits for its password")
			}
			if err != nil {
				break
			}
		}
	}},
	{Name: "a superuser's session in the pod ends too when the gate closes", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		person := superuser(t, m)
		m.SetGate(t, engine.GateClosed)
		if _, err := person.Exec(t.Context(), "SELECT 1"); err == nil {
			t.Error("it goes on")
		}
	}},
	{Name: "a probe gets in when clients have taken every connection", Run: func(t *testing.T, m *enginetest.Member) {
		m.Config.Parameters = map[string]string{"max_connections": "12"}
		m.Lead(t)
		taken := 0
		for range 20 {
			if _, err := m.Client(t).Conn(t.Context()); err != nil {
				break
			}
			taken++
		}
		t.Logf("%d clients got in", taken)
		m.AwaitKnown(t)
		m.SetGate(t, engine.GateClosed)
	}},
	{Name: "a primary killed amid many subtransactions is promoted again", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		db := m.Client(t)
		enginetest.Exec(t, db, "CREATE TABLE entries (id int)")
		tx, err := db.Begin()
		enginetest.Must(t, err)
		for i := range 100 {
			_, err := tx.Exec(fmt.Sprintf("SAVEPOINT s%d; INSERT INTO entries VALUES (%d)", i, i))
			enginetest.Must(t, err)
		}
		_, err = superuser(t, m).Exec(t.Context(), "CHECKPOINT")
		enginetest.Must(t, err)
		m.Kill(t)
		m.Launch(t)
		t.Logf("before the promotion: %+v", m.AwaitUp(t))
		at := m.Promote(t)
		if probe := m.AwaitKnown(t); probe.Standby || probe.Log.Compare(at) == ha.Behind {
			t.Errorf("%+v after a barrier at %s", probe, at)
		}
	}},
	{Name: "positions of sessions form one line of timelines", Run: func(t *testing.T, m *enginetest.Member) {
		for session := range uint32(3) {
			before := m.Start(t).Log.(postgres.Position)
			at := m.Promote(t).(postgres.Position)
			if at.Timeline != session+2 || before.Timeline != session+1 {
				t.Errorf("session %d: from timeline %d to %d", session, before.Timeline, at.Timeline)
			}
			if len(at.History) != int(session)+1 || at.History[session].At != before.LSN {
				t.Errorf("session %d: history %v, where the standby was at %s", session, at.History, before)
			}
			m.Kill(t)
		}
	}},
	{Name: "a pid file of a process that is something else now does not stop the start", Run: func(t *testing.T, m *enginetest.Member) {
		m.Lead(t)
		m.Kill(t)
		file := filepath.Join(m.Config.Paths.DataDir, "postmaster.pid")
		text, err := os.ReadFile(file)
		enginetest.Must(t, err)
		_, rest, _ := strings.Cut(string(text), "\n")
		child := startSleeper(t)
		enginetest.Must(t, os.WriteFile(file, []byte(fmt.Sprintf("%d\n%s", child, rest)), 0o600))
		m.Start(t)
	}},
}

// spellings are good and bad ways to write values of each type.
var spellings = map[string][]string{
	"work_mem": {"64MB", "64 MB", " 64MB ", "1.5GB", "65536", "0x10000", "1e5", "1e5kB", "64mb", "64M", "MB", "", "-1", "1TB",
		"99999TB", "64MB x", "6 4MB", "+64MB", "64.", ".5GB", "64MB\u00a0", "0.1kB"},
	"statement_timeout":             {"30s", "0.5min", "1h", "100us", "600us", "1d", "30 S", "5m", "-1", "30 seconds", "24d", "25d"},
	"max_locks_per_transaction":     {"100", "100.4", "1e2", "0x40", "0x", "100kB", "abc", "1_000", "9.6"},
	"random_page_cost":              {"1.1", ".5", "5.", "1e1000", "NaN", "Infinity", "-0.5", "0x10", "1.1ms", "1,1"},
	"autovacuum_vacuum_cost_delay":  {"2ms", "2", "0.5ms", "500us", "-1", "200ms", "0.2s"},
	"jit":                           {"on", "ON", "tr", "tRue", "ye", "o", "of", "2", "", " on ", "on ", "fals", "n", "nope", "enabled"},
	"log_statement":                 {"DDL", "ddl ", " ddl", "none", "off", ""},
	"constraint_exclusion":          {"partition", "true", "YES", "0", "t", "tr", "of", " on"},
	"search_path":                   {"", "it's", `back\slash`, `"$user", public`, "ü", "#", "${x}"},
	"auto_explain.log_min_duration": {"5s", "x'y"},
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), verbTime)
	t.Cleanup(cancel)
	return ctx
}

// superuser is a person's session in the pod, made as a stock psql makes it.
func superuser(t *testing.T, m *enginetest.Member) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig("user=postgres dbname=postgres sslmode=disable")
	enginetest.Must(t, err)
	config.Host = filepath.Join(m.Config.Paths.RunDir, postgres.SocketDir)
	conn, err := pgx.ConnectConfig(t.Context(), config)
	enginetest.Must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the server may be gone
	return conn
}

// beginLogin gets as far as the question for a password and stays there.
func beginLogin(t *testing.T, m *enginetest.Member) (net.Conn, *pgproto3.Frontend) {
	t.Helper()
	l := m.Login(m.Access.App)
	conn, err := net.DialTimeout("tcp", l.Address, verbTime)
	enginetest.Must(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	enginetest.Must(t, conn.SetDeadline(time.Now().Add(verbTime)))
	frontend := secure(t, conn, l)
	frontend.Send(&pgproto3.StartupMessage{
		ProtocolVersion: pgproto3.ProtocolVersionNumber,
		Parameters:      map[string]string{"user": l.User, "database": l.Database},
	})
	enginetest.Must(t, frontend.Flush())
	message, err := frontend.Receive()
	enginetest.Must(t, err)
	if _, asked := message.(*pgproto3.AuthenticationSASL); !asked {
		t.Fatalf("the server answers %T", message)
	}
	return conn, frontend
}

func readFiles(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	enginetest.Must(t, err)
	var all strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		enginetest.Must(t, err)
		all.WriteString(e.Name() + "\n" + string(text))
	}
	return all.String()
}
