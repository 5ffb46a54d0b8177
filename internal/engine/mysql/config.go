package mysql

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// ConfigFile is the rendered option file below Config.Paths.ConfigDir.
const ConfigFile = "my.cnf"

// Socket is where the server listens for local logins: with /run as RunDir it
// is where the stock image's client looks by itself.
func Socket(p engine.Paths) string { return filepath.Join(p.RunDir, "mysqld", "mysqld.sock") }

// setting is one line of the option file.
type setting struct{ name, value string }

// Files renders the option file in three parts. The reader takes the last of
// equal settings, whatever their spelling: so what the operator owns stands
// last, and a name that slipped through CheckParameters changes nothing.
func (Profile) Files(c engine.Config) ([]engine.File, error) {
	_, s, err := resolve(c.Version)
	if err != nil {
		return nil, fmt.Errorf("rendering %s: %w", ConfigFile, err)
	}
	var b strings.Builder
	b.WriteString("# Written by the agent; changed by spec.parameters only.\n[mysqld]\n")
	section(&b, "Defaults, which parameters may replace", defaults(c))
	section(&b, "Parameters", parameters(c.Parameters))
	section(&b, "Owned by the operator", owned(s, c))
	return []engine.File{{Name: ConfigFile, Content: b.String()}}, nil
}

func section(b *strings.Builder, title string, settings []setting) {
	fmt.Fprintf(b, "\n# %s\n", title)
	for _, s := range settings {
		fmt.Fprintf(b, "%s = %s\n", s.name, quote(s.value))
	}
}

// defaults are what a user may set otherwise.
func defaults(c engine.Config) []setting {
	out := []setting{
		{"innodb_buffer_pool_size", megabytes(bufferPool(c.Memory))},
		{"max_connections", strconv.FormatInt(connections(c.Memory), 10)},
		// Thirty days, the engine's default, fill the volume of a busy database.
		{"binlog_expire_logs_seconds", "86400"},
		{"max_binlog_size", "256M"},
		{"replica_parallel_workers", "4"},
		// Rows are logged, not statements: what a trigger or function does
		// cannot differ on a replica, and only SUPER could make one otherwise.
		// It is deprecated: loose, so that its end does not keep a server down.
		{"loose_log_bin_trust_function_creators", "ON"},
		// A container may not set its memory policy: each start would warn four
		// times. Servers built without NUMA do not know the setting.
		{"loose_innodb_numa_interleave", "OFF"},
		// True of every member and intended: the CA signs itself, /run is a
		// volume in memory.
		{"log_error_suppression_list", "MY-010068,MY-011810"},
	}
	if c.Memory < frugalBelow {
		out = append(out, frugal()...)
	}
	return out
}

func parameters(p map[string]string) []setting {
	var out []setting
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if name == EventScheduler {
			continue // follows the gate
		}
		out = append(out, setting{name, p[name]})
	}
	return out
}

// owned is what safety and the operator's own work depend on.
func owned(s series, c engine.Config) []setting {
	return slices.Concat(places(c), safety(s), replication(s, c), gate(), network(c))
}

func places(c engine.Config) []setting {
	return []setting{
		{"datadir", c.Paths.DataDir},
		{"tmpdir", c.Paths.TmpDir},
		{"socket", Socket(c.Paths)},
		{"pid_file", filepath.Join(filepath.Dir(Socket(c.Paths)), "mysqld.pid")},
		// The packaged directory may not exist, which would abort the start.
		{"secure_file_priv", "NULL"},
		{"log_timestamps", "UTC"},
	}
}

func safety(s series) []setting {
	out := []setting{
		{"innodb_flush_log_at_trx_commit", "1"},
		{"innodb_doublewrite", "ON"},
		{"sync_binlog", "1"},
		{"binlog_error_action", "ABORT_SERVER"},
		// Neither survives a crash whole, nor is any of them cloned.
		{"disabled_storage_engines", "MyISAM,MRG_MYISAM,ARCHIVE,BLACKHOLE,FEDERATED"},
		// What is set at run time is not to outlive it: the files are the truth.
		{"persisted_globals_load", "OFF"},
		// Lets the admin account reach every schema but the server's own.
		{"partial_revokes", "ON"},
		{"performance_schema", "ON"},
	}
	if s.keepsUndo {
		out = append(out, setting{"innodb_undo_log_truncate", "OFF"})
	}
	return out
}

func replication(s series, c engine.Config) []setting {
	out := []setting{
		{"server_id", strconv.FormatUint(uint64(c.ServerID), 10)},
		{"report_host", c.Member},
		{"log_bin", "binlog"},
		{"gtid_mode", "ON"},
		{"enforce_gtid_consistency", "ON"},
		{"log_replica_updates", "ON"},
		{"binlog_row_image", "FULL"},
		{"binlog_order_commits", "ON"},
		{"relay_log", "relay"},
		// ON drops received transactions that clients were told are safe.
		{"relay_log_recovery", "OFF"},
		{"relay_log_purge", "ON"},
		// The acknowledgement does not wait for the flush otherwise.
		{"sync_relay_log", "1"},
		{"replica_preserve_commit_order", "ON"},
		{"replica_net_timeout", "4"},
		{"replication_sender_observe_commit_only", "OFF"},
	}
	if s.setsApplierOrder {
		out = append(out,
			setting{"replica_parallel_type", "LOGICAL_CLOCK"},
			setting{"binlog_transaction_dependency_tracking", "WRITESET"})
	}
	// Loaded and switched off: a rule of one waits for nobody.
	return append(out,
		setting{"plugin_load_add", "semisync_source.so"},
		setting{"plugin_load_add", "semisync_replica.so"},
		setting{"plugin_load_add", "mysql_clone.so"},
		setting{"plugin_load_add", "auth_socket.so"},
		setting{"loose_rpl_semi_sync_source_enabled", "OFF"},
		setting{"loose_rpl_semi_sync_source_timeout", "4294967295"},
		setting{"loose_rpl_semi_sync_source_wait_point", "AFTER_SYNC"},
		setting{"loose_rpl_semi_sync_source_wait_no_replica", "ON"},
		setting{"loose_rpl_semi_sync_replica_enabled", "OFF"})
}

// gate: every start is a standby's, with no source and nobody let in.
func gate() []setting {
	return []setting{
		{"read_only", "ON"},
		{"super_read_only", "ON"},
		{"offline_mode", "ON"},
		{"skip_replica_start", "ON"},
		{EventScheduler, "OFF"},
	}
}

func network(c engine.Config) []setting {
	return []setting{
		{"port", strconv.Itoa(Port)},
		{"bind_address", "*"}, // both families
		{"mysqlx", "OFF"},
		{"skip_name_resolve", "ON"}, // a login never waits for a name server
		{"require_secure_transport", "ON"},
		{"tls_version", "TLSv1.2,TLSv1.3"},
		{"ssl_ca", c.CAFile},
		{"ssl_cert", c.CertFile},
		{"ssl_key", c.KeyFile},
	}
}
