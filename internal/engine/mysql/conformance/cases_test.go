//go:build conformance

package conformance

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	client "github.com/go-sql-driver/mysql"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/enginetest"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// verbTime is far more than a verb needs.
const verbTime = 20 * time.Second

// own are the cases that only this engine has.
var own = []enginetest.Case{
	{Name: "a member's log begins empty, and the barrier is its first entry", Run: barrierFirst},
	{Name: "no account is left that needs no password and no certificate", Run: noOpenAccount},
	{Name: "an init file that was interrupted is run again", Run: initFileAgain},
	{Name: "named time zones are there", Run: timeZones},
	{Name: "events run behind an open gate only, and as the user asks", Run: events},
	{Name: "a setting that the server does not know is refused before any file changes", Run: unknownSetting},
	{Name: "a setting that is taken out goes back to its default", Run: settingTakenOut},
	{Name: "the agent works under settings that would hinder a client", Run: hinderingSettings},
	{Name: "the agent gets in when clients use up all connections", Run: allConnectionsUsed},
	{Name: "a commit that waits for space is reported, and probes do not pile up", Run: fullLog},
	{Name: "a supervised restart ends with the exit code that asks for a start", Run: restartCode},
	{Name: "GTID sets with tags are written as the server writes them", Run: tags},
	{Name: "two sessions of the agent stay open", Run: heldSessions},
	{Name: "members' certificates of other names are taken over", Run: otherSubjects},
	{Name: "sessions that were given up are opened again", Run: closeAndGoOn},
}

func barrierFirst(t *testing.T, m *enginetest.Member) {
	probe := m.Start(t)
	if probe.Log.String() != "" {
		t.Errorf("before any session the log holds %s", probe.Log)
	}
	at := m.Promote(t)
	if want := m.Config.ClusterUID + ":16777217"; at.String() != want {
		t.Errorf("after the barrier the log is %s, want %s", at, want)
	}
	set := at.(mysql.Set)
	if got := set.NewestSession(m.Config.ClusterUID); got.Term != 1 || got.Incarnation != 1 {
		t.Errorf("the newest session is %s", got)
	}
}

func noOpenAccount(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	got := enginetest.Ask(t, m.As(t, enginetest.Admin), `SELECT COALESCE(GROUP_CONCAT(CONCAT(user, '@', host)), '') FROM mysql.user
		WHERE account_locked = 'N' AND authentication_string = '' AND ssl_type = '' AND plugin <> 'auth_socket'`)
	if got != "" {
		t.Errorf("anybody gets in as %s", got)
	}
}

func initFileAgain(t *testing.T, m *enginetest.Member) {
	m.Launch(t)
	kill(t, m) // at some point of the start
	m.Launch(t)
	kill(t, m)
	m.Lead(t)
	kill(t, m)
	// As if the agent had not seen the end of it.
	enginetest.Must(t, os.WriteFile(filepath.Join(m.Config.Paths.DataDir, "ha-accounts-missing"), nil, 0o600))
	m.Lead(t)
	enginetest.Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
	if _, err := os.Stat(filepath.Join(m.Config.Paths.DataDir, "ha-accounts-missing")); err == nil {
		t.Error("the mark is still there")
	}
}

func kill(t *testing.T, m *enginetest.Member) {
	t.Helper()
	enginetest.Must(t, m.Child.Signal(syscall.SIGKILL))
	m.AwaitExit(t, verbTime)
}

func timeZones(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	got := enginetest.Ask(t, m.Client(t), "SELECT CONVERT_TZ('2026-07-01 12:00:00', 'UTC', 'Europe/Berlin')")
	if got != "2026-07-01 14:00:00" {
		t.Errorf("noon in summer is %s in Berlin", got)
	}
}

func events(t *testing.T, m *enginetest.Member) {
	scheduler := func(want string) {
		t.Helper()
		if got := enginetest.Ask(t, m.Client(t), "SELECT @@GLOBAL.event_scheduler"); got != want {
			t.Errorf("the event scheduler is %s, want %s", got, want)
		}
	}
	m.Lead(t)
	scheduler("ON")
	m.SetGate(t, engine.GateReadOnly)
	scheduler("OFF")
	m.Config.Parameters = map[string]string{"event_scheduler": "OFF"}
	configure(t, m)
	m.SetGate(t, engine.GateOpen)
	scheduler("OFF")
	m.Config.Parameters = nil
	configure(t, m)
	scheduler("ON")
}

func configure(t *testing.T, m *enginetest.Member) []string {
	t.Helper()
	pending, err := m.Driver.Configure(m.Context(t, verbTime), m.Config)
	enginetest.Must(t, err)
	return pending
}

func unknownSetting(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	file := filepath.Join(m.Config.Paths.ConfigDir, mysql.ConfigFile)
	before, err := os.ReadFile(file)
	enginetest.Must(t, err)
	for name, parameters := range map[string]map[string]string{
		"an unknown name":      {"max_conections": "100"},
		"a value that is none": {"transaction_isolation": "PERFECT"},
	} {
		m.Config.Parameters = parameters
		_, err := m.Driver.Configure(m.Context(t, verbTime), m.Config)
		if !errors.Is(err, engine.ErrConfigRefused) {
			t.Errorf("%s: Configure = %v", name, err)
		}
		t.Log(err)
	}
	after, err := os.ReadFile(file)
	enginetest.Must(t, err)
	if string(before) != string(after) {
		t.Error("the file has changed")
	}
}

func settingTakenOut(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	db := m.Client(t)
	show := func(want string) {
		t.Helper()
		got := enginetest.Ask(t, db, "SELECT CONCAT_WS(' ', @@GLOBAL.wait_timeout, @@GLOBAL.max_connections, @@GLOBAL.sql_mode, @@GLOBAL.innodb_buffer_pool_size DIV 1048576)")
		if got != want {
			t.Errorf("in force is %s, want %s", got, want)
		}
	}
	standard := enginetest.Ask(t, db, "SELECT @@GLOBAL.sql_mode")
	show("28800 151 " + standard + " 128")
	m.Config.Parameters = map[string]string{"wait_timeout": "600", "max_connections": "77", "sql_mode": "", "innodb_buffer_pool_size": "256M"}
	if pending := configure(t, m); len(pending) > 0 {
		t.Errorf("%q wait for a restart", pending)
	}
	show("600 77  256")
	m.Config.Parameters = nil
	configure(t, m)
	enginetest.Eventually(t, verbTime, "the buffer pool has shrunk", func() error {
		if got := enginetest.Ask(t, db, "SELECT @@GLOBAL.innodb_buffer_pool_size DIV 1048576"); got != "128" {
			return errors.New(got)
		}
		return nil
	})
	show("28800 151 " + standard + " 128")
	// Below the chunk that the pool was made of, a running server does not go.
	m.Config.Parameters = map[string]string{"innodb_buffer_pool_size": "64M"}
	if pending := configure(t, m); !slices.Equal(pending, []string{"innodb_buffer_pool_size"}) {
		t.Errorf("%q wait for a restart", pending)
	}
}

func hinderingSettings(t *testing.T, m *enginetest.Member) {
	m.Config.Parameters = map[string]string{
		"autocommit": "0", "sql_mode": "ANSI_QUOTES,NO_BACKSLASH_ESCAPES", "max_user_connections": "1", "init_connect": "this is no statement",
		"wait_timeout": "1", "interactive_timeout": "1", "completion_type": "RELEASE", "default_password_lifetime": "1",
		"password_history": "5", "max_execution_time": "1", "sql_require_primary_key": "ON", "character_set_server": "latin1",
		"default_time_zone": "-07:00", "password_require_current": "ON", "innodb_lock_wait_timeout": "1",
	}
	m.Lead(t)
	enginetest.Must(t, m.Driver.WriteProbe(m.Context(t, verbTime)))
	_, err := m.Driver.Stats(m.Context(t, verbTime))
	enginetest.Must(t, err)
	m.Access.App.Password = `another \ secret ' "`
	enginetest.Must(t, m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access))
	// The client itself meets the broken init_connect, which ends its session.
	m.SetGate(t, engine.GateClosed)
	m.Kill(t)
	m.Config.Parameters = nil
	m.Lead(t)
	enginetest.Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
}

func allConnectionsUsed(t *testing.T, m *enginetest.Member) {
	m.Config.Parameters = map[string]string{"max_connections": "10"}
	m.Lead(t)
	for range 20 {
		db := m.Client(t)
		ctx, cancel := context.WithTimeout(t.Context(), verbTime)
		_, err := db.ExecContext(ctx, "SELECT 1")
		cancel()
		if err != nil {
			t.Logf("the last client was told: %v", err)
			break
		}
	}
	m.AwaitKnown(t)
	enginetest.Must(t, m.Driver.WriteProbe(m.Context(t, verbTime)))
	_, err := m.Driver.Stats(m.Context(t, verbTime))
	enginetest.Must(t, err)
	m.SetGate(t, engine.GateClosed)
	m.SetGate(t, engine.GateOpen)
}

// fullLog fills the volume to the last byte, so that the binary log cannot
// grow although the tables need not.
func fullLog(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	ballast := fill(t, m.Config.Paths.DataDir)
	var errs []error
	for range 400 {
		err := m.Driver.WriteProbe(m.Context(t, 200*time.Millisecond))
		if err != nil {
			errs = append(errs, err)
		}
		if len(errs) == 10 {
			break
		}
	}
	if len(errs) < 10 {
		t.Fatalf("only %d of 400 writes met a full volume", len(errs))
	}
	t.Logf("reported: %v", errs[0])
	samples, err := m.Driver.Stats(m.Context(t, verbTime))
	enginetest.Must(t, err)
	for _, s := range samples {
		if s.Name == "connections" && s.Value > 8 {
			t.Errorf("%v sessions are open", s.Value)
		}
	}
	m.AwaitKnown(t)
	enginetest.Must(t, os.Remove(ballast))
	begin := time.Now()
	for {
		err := m.Driver.WriteProbe(m.Context(t, time.Second))
		if err == nil {
			t.Logf("it went on %s after there was space", time.Since(begin).Round(time.Millisecond))
			break
		}
		if time.Since(begin) > time.Second {
			t.Logf("a second after there was space: %v", err)
			break
		}
	}
	m.Kill(t)
	m.Lead(t)
	enginetest.Must(t, m.Driver.WriteProbe(m.Context(t, verbTime)))
}

// fill leaves nothing free on the volume of dir.
func fill(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(filepath.Dir(dir), "ballast")
	file, err := os.Create(path)
	enginetest.Must(t, err)
	defer file.Close()
	// The server takes space too: what is free may be gone by the time that it
	// is asked for.
	taken := int64(0)
	for range 100 {
		var fs syscall.Statfs_t
		enginetest.Must(t, syscall.Statfs(dir, &fs))
		free := int64(fs.Bavail) * fs.Bsize
		if free == 0 {
			return path
		}
		err := syscall.Fallocate(int(file.Fd()), 0, taken, free)
		if err == nil {
			taken += free
		} else if !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
	}
	t.Fatal("the volume was never full")
	return ""
}

func restartCode(t *testing.T, m *enginetest.Member) {
	m.Start(t)
	c := client.NewConfig()
	c.User, c.Net, c.Addr = mysql.SystemUser, "unix", mysql.Socket(m.Config.Paths)
	c.Logger = &client.NopLogger{}
	connector, err := client.NewConnector(c)
	enginetest.Must(t, err)
	db := sql.OpenDB(connector)
	defer db.Close()
	_, err = db.ExecContext(t.Context(), "RESTART")
	enginetest.Must(t, err)
	process, err := m.Driver.Standby()
	enginetest.Must(t, err)
	if exit := m.AwaitExit(t, verbTime); exit.Code != process.RestartExit {
		t.Errorf("it ended with %s, want exit code %d", exit, process.RestartExit)
	}
}

func tags(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	db := m.As(t, enginetest.Admin)
	for _, text := range []string{
		"3E11FA47-71CA-11E1-9E33-C80AA9429562:7:1-3:zeta:1:alpha:2-3:5,\n4e11fa47-71ca-11e1-9e33-c80aa9429562:x:9",
		"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:3-9", "",
	} {
		set, err := mysql.ParseSet(text)
		enginetest.Must(t, err)
		server := enginetest.Ask(t, db, "SELECT GTID_SUBTRACT('"+text+"', '')")
		if got := strings.ReplaceAll(server, "\n", ""); got != set.String() {
			t.Errorf("the server writes %q, we write %q", got, set)
		}
	}
}

func closeAndGoOn(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	enginetest.Must(t, m.Driver.Close())
	enginetest.Must(t, m.Driver.WriteProbe(m.Context(t, verbTime)))
	m.SetGate(t, engine.GateClosed)
	enginetest.Must(t, m.Driver.Close())
	begin := time.Now()
	m.Stop(t)
	t.Logf("with no session left it stopped in %s", time.Since(begin).Round(time.Millisecond))
}

func heldSessions(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	m.AwaitKnown(t)
	got := enginetest.Ask(t, m.As(t, enginetest.Admin), "SELECT COUNT(*) FROM information_schema.processlist WHERE user = 'mysql' AND host = 'localhost'")
	if got != "2" {
		t.Errorf("%s sessions of the agent are open, want 2", got)
	}
}

func otherSubjects(t *testing.T, m *enginetest.Member) {
	m.Lead(t)
	m.Access.ReplicationSubjects = []string{"new-0", "new-1", "new-2", "new-3", "new-4"}
	enginetest.Must(t, m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access))
	got := enginetest.Ask(t, m.As(t, enginetest.Admin),
		"SELECT GROUP_CONCAT(CONVERT(x509_subject USING utf8mb4) ORDER BY user) FROM mysql.user WHERE user LIKE 'ha_member_%'")
	if want := "/CN=new-0,/CN=new-1,/CN=new-2,/CN=new-3,/CN=new-4"; got != want {
		t.Errorf("the accounts take %s, want %s", got, want)
	}
}
