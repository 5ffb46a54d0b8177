package mysql

import (
	"slices"
	"strings"
	"testing"

	"github.com/myuser/db-operator/internal/engine"
)

func TestParametersThatCanBeUsed(t *testing.T) {
	for name, value := range map[string]string{
		"innodb_buffer_pool_size":            "64M",
		"max_connections":                    "500",
		"sql_mode":                           "",
		"event_scheduler":                    "on",
		"innodb_flush_method":                "O_DIRECT",
		"default_storage_engine":             "InnoDB",
		"validate_password.length":           "12",
		"skip_show_database":                 "ON",
		"disabled_storage":                   "x", // unknown, which only the server can tell
		"binlog_expire_logs_seconds":         "3600",
		"enable_secondary_engine_statistics": "OFF",
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range written {
				if got := (Profile{}).CheckParameters(version, map[string]string{name: value}); len(got) != 0 {
					t.Errorf("%s refuses %s=%s: %v", version, name, value, got)
				}
			}
		})
	}
}

func TestParametersThatAreRefused(t *testing.T) {
	for title, c := range map[string]struct{ version, name, value, reason string }{
		"durability":                          {"9.7", "sync_binlog", "0", "survives a crash"},
		"durability in dashes":                {"9.7", "sync-binlog", "0", "another spelling of sync_binlog, which decides"},
		"durability in capitals":              {"9.7", "Sync_Binlog", "0", "another spelling of sync_binlog"},
		"a loose prefix":                      {"9.7", "loose_sync_binlog", "0", "another spelling of sync_binlog"},
		"a loose prefix of a free setting":    {"9.7", "loose-max-connections", "9", "write max_connections"},
		"dashes of a free setting":            {"9.7", "max-connections", "9", "write max_connections"},
		"an old name that aliases an own one": {"8.0", "slave_net_timeout", "60", "another spelling of replica_net_timeout"},
		"an old name that aliases a free one": {"8.0", "slave_parallel_workers", "9", "write replica_parallel_workers"},
		"switched off by a prefix":            {"9.7", "skip_log_bin", "", "how members replicate"},
		"disabled by a prefix":                {"9.7", "disable_innodb_doublewrite", "", "survives a crash"},
		"capped by a prefix":                  {"9.7", "maximum_sync_binlog", "0", "survives a crash"},
		"skipping authentication":             {"9.7", "skip-grant-tables", "", "opens and closes"},
		"the gate":                            {"9.7", "offline_mode", "OFF", "opens and closes"},
		"a semi-sync setting by prefix":       {"9.7", "rpl_semi_sync_source_timeout", "1", "how members replicate"},
		"a place":                             {"9.7", "datadir", "/tmp", "place or an address"},
		"a plugin":                            {"9.7", "plugin_load_add", "x.so", "loads code"},
		"an unsafe value":                     {"9.7", "innodb_flush_method", "nosync", "must be one of FSYNC"},
		"a scheduler nobody can start":        {"9.7", "event_scheduler", "DISABLED", "must be one of ON, OFF"},
		"another storage engine":              {"9.7", "default_storage_engine", "MyISAM", "must be one of INNODB"},
		"a name that breaks out of its line":  {"9.7", "x\n[client]", "1", "not the name of a setting"},
		"a value on two lines":                {"9.7", "init_connect", "a\nb", "control character"},
		"a value that overflows the line":     {"9.7", "init_connect", strings.Repeat("x", 1501), "more than 1500 bytes"},
		"removed in 8.4":                      {"8.4", "default_authentication_plugin", "x", "write authentication_policy"},
		"removed in 8.4, seen from 26":        {"26.10", "expire_logs_days", "3", "write binlog_expire_logs_seconds"},
		"removed in 9":                        {"9.7", "innodb_log_file_size", "1G", "write innodb_redo_log_capacity"},
	} {
		t.Run(title, func(t *testing.T) {
			got := Profile{}.CheckParameters(c.version, map[string]string{c.name: c.value})
			if len(got) != 1 || got[0].Name != c.name || !strings.Contains(got[0].Reason, c.reason) {
				t.Errorf("CheckParameters(%q) = %q, want a reason with %q", c.name, got, c.reason)
			}
		})
	}
}

func TestRemovedNamesCanStillBeUsedWhereTheyExist(t *testing.T) {
	p := map[string]string{"innodb_log_file_size": "1G"}
	if got := (Profile{}).CheckParameters("8.4", p); len(got) != 0 {
		t.Errorf("8.4 refuses a setting that it has: %v", got)
	}
}

func TestProblemsAreSortedByName(t *testing.T) {
	got := Profile{}.CheckParameters("9.7", map[string]string{"sync_binlog": "0", "datadir": "/", "port": "1", "gtid_mode": "OFF"})
	if !slices.IsSortedFunc(got, func(a, b engine.ParameterProblem) int { return strings.Compare(a.Name, b.Name) }) || len(got) != 4 {
		t.Errorf("CheckParameters = %v, want four problems sorted by name", got)
	}
}

func TestEverySettingOfTheOperatorIsRefusedToUsers(t *testing.T) {
	for _, version := range written {
		_, s, _ := resolve(version)
		for _, own := range owned(s, testConfig(version)) {
			name := strings.TrimPrefix(own.name, "loose_")
			if name == EventScheduler {
				continue // given to users, but follows the gate
			}
			if refusal(s, name, "") == "" {
				t.Errorf("%s: parameters may set %s, which the operator writes after them", version, name)
			}
		}
	}
}

func FuzzCheckParameters(f *testing.F) {
	f.Add("sync_binlog", "0")
	f.Add("loose_loose-Skip_x", "\x00")
	f.Fuzz(func(t *testing.T, name, value string) {
		c := testConfig("9.7")
		c.Parameters = map[string]string{name: value}
		if len(Profile{}.CheckParameters(c.Version, c.Parameters)) != 0 {
			return
		}
		plain := c
		plain.Parameters = nil
		if with, without := lines(t, c), lines(t, plain); name != EventScheduler && with != without+1 {
			t.Errorf("%q=%q adds %d lines to the option file, want 1", name, value, with-without)
		}
	})
}

func lines(t *testing.T, c engine.Config) int {
	files, err := Profile{}.Files(c)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Count(files[0].Content, "\n")
}
