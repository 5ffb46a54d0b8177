package v1

import (
	"fmt"
	"strings"
)

// ReservedParameterRule is the CEL expression that is true when the name k is
// reserved. One engine reads skip_ and enable_ before a name as "off" and "on",
// so these forms count too.
func ReservedParameterRule() string {
	return fmt.Sprintf("[k, k.substring(k.startsWith('skip_') ? 5 : 0), k.substring(k.startsWith('enable_') ? 7 : 0)]"+
		".exists(w, w in %s || %s.exists(f, w.startsWith(f)))",
		celList(ReservedParameters), celList(ReservedParameterFamilies))
}

func celList(words []string) string { return "['" + strings.Join(words, "','") + "']" }

// ReservedParameters are the settings that spec.parameters may not hold,
// whatever the engine: no release of the operator could leave them to a user
// without risking data, or losing its hold on a member. The list is flat, so
// that it needs no change when an engine is added or a setting moves between
// versions; it ends up in a rule of the CRD and is therefore final. What a
// later release may come to allow is refused by the engine's profile instead.
var ReservedParameters = []string{
	// A write that was acknowledged must be on disk, and a page must be whole.
	"allow_system_table_mods",
	"binlog_error_action",
	"data_sync_retry",
	"default_storage_engine",
	"fsync",
	"full_page_writes",
	"ignore_checksum_failure",
	"ignore_invalid_pages",
	"ignore_system_indexes",
	"innodb_checksum_algorithm",
	"innodb_doublewrite",
	"innodb_flush_log_at_trx_commit",
	"innodb_flush_method",
	"innodb_force_load_corrupted",
	"innodb_force_recovery",
	"innodb_log_checksums",
	"innodb_read_only",
	"sync_binlog",
	"synchronous_commit",
	"synchronous_standby_names",
	"wal_level",
	"wal_log_hints",
	"zero_damaged_pages",

	// Every member's log must be complete and comparable with the others'.
	"binlog_checksum",
	"binlog_do_db",
	"binlog_format",
	"binlog_ignore_db",
	"binlog_order_commits",
	"binlog_row_image",
	"cluster_name",
	"enforce_gtid_consistency",
	"gtid_mode",
	"gtid_next",
	"gtid_purged",
	"init_replica",
	"init_slave",
	"log_bin",
	"log_bin_basename",
	"log_bin_index",
	"log_replica_updates",
	"log_slave_updates",
	"master_info_file",
	"master_info_repository",
	"primary_conninfo",
	"primary_slot_name",
	"recovery_end_command",
	"recovery_min_apply_delay",
	"replica_exec_mode",
	"replica_net_timeout",
	"replica_preserve_commit_order",
	"replica_skip_errors",
	"replica_sql_verify_checksum",
	"replication_sender_observe_commit_only",
	"report_host",
	"report_port",
	"server_id",
	"server_uuid",
	"skip_replica_start",
	"skip_slave_start",
	"slave_exec_mode",
	"slave_net_timeout",
	"slave_preserve_commit_order",
	"slave_skip_errors",
	"slave_sql_verify_checksum",
	"sql_log_bin",
	"sql_replica_skip_counter",
	"sql_slave_skip_counter",
	"sync_master_info",
	"sync_relay_log",
	"sync_relay_log_info",
	"sync_source_info",
	"wal_receiver_create_temp_slot",
	"wal_receiver_status_interval",
	"wal_receiver_timeout",
	"wal_retrieve_retry_interval",
	"wal_sender_timeout",

	// The log's archive belongs to backups.
	"archive_cleanup_command",
	"archive_command",
	"archive_library",
	"archive_mode",
	"restore_command",

	// Who may write, and since when, is the agent's to decide.
	"default_transaction_read_only",
	"hot_standby",
	"offline_mode",
	"promote_trigger_file",
	"read_only",
	"restart_after_crash",
	"super_read_only",
	"transaction_read_only",

	// Where the engine listens and who is let in.
	"auto_generate_certs",
	"bind_address",
	"hba_file",
	"ident_file",
	"listen_addresses",
	"password_encryption",
	"port",
	"require_secure_transport",
	"skip_grant_tables",
	"skip_networking",
	"socket",
	"unix_socket_directories",
	"unix_socket_group",
	"unix_socket_permissions",

	// Files and directories: only the member's volume can be written to, and
	// its layout is the agent's.
	"basedir",
	"character_sets_dir",
	"chroot",
	"config_file",
	"data_directory",
	"datadir",
	"defaults_extra_file",
	"defaults_file",
	"external_pid_file",
	"general_log_file",
	"include",
	"include_dir",
	"include_if_exists",
	"init_file",
	"innodb_data_file_path",
	"innodb_data_home_dir",
	"innodb_directories",
	"innodb_doublewrite_dir",
	"innodb_log_group_home_dir",
	"innodb_temp_data_file_path",
	"innodb_temp_tablespaces_dir",
	"innodb_tmpdir",
	"innodb_undo_directory",
	"log_destination",
	"log_directory",
	"log_error",
	"log_error_services",
	"log_filename",
	"logging_collector",
	"pid_file",
	"plugin_dir",
	"replica_load_tmpdir",
	"secure_file_priv",
	"slave_load_tmpdir",
	"slow_query_log_file",
	"tmpdir",

	// What the engine's process is and does at its start.
	"allow_in_place_tablespaces",
	"daemonize",
	"gdb",
	"help",
	"initialize",
	"initialize_insecure",
	"persisted_globals_load",
	"plugin_load",
	"plugin_load_add",
	"tc_heuristic_recover",
	"upgrade",
	"user",
	"validate_config",
	"version",
}

// ReservedParameterFamilies are the beginnings of settings' names of which the
// same is true for all, present and future.
var ReservedParameterFamilies = []string{
	"admin_",
	"clone_",
	"group_replication_",
	"keyring_migration_",
	"mysqlx",
	"recovery_target",
	"relay_log",
	"replicate_",
	"rpl_semi_sync_",
	"ssl",
	"tls_",
}
