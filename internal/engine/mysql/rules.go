package mysql

// ownedGroup is a set of settings that are refused for one reason. A name that
// ends in * stands for all that begin so.
type ownedGroup struct {
	reason string
	names  []string
}

// ownedSettings must cover every line that config.go writes last.
var ownedSettings = []ownedGroup{
	{"decides whether an acknowledged write survives a crash: leave it out", []string{
		"sync_binlog", "innodb_flush_log_at_trx_commit", "innodb_doublewrite", "innodb_checksum_algorithm",
		"innodb_log_checksums", "innodb_force_recovery", "innodb_force_load_corrupted", "innodb_read_only",
		"innodb_redo_log_enabled", "innodb_api_*", "binlog_error_action", "binlog_checksum", "log_tc", "log_tc_size",
		"tc_heuristic_recover", "disabled_storage_engines", "innodb_undo_log_truncate",
	}},
	{"is part of how members replicate: leave it out", []string{
		"gtid_*", "enforce_gtid_consistency", "server_id", "server_id_bits", "server_uuid", "report_*",
		"log_bin", "log_bin_index", "log_replica_updates", "log_source_updates",
		"binlog_format", "binlog_row_image", "binlog_row_value_options", "binlog_order_commits", "binlog_encryption", "binlog_rotate_encryption_*",
		"binlog_do_db", "binlog_ignore_db", "binlog_gtid_simple_recovery", "binlog_transaction_dependency_tracking",
		"relay_log*", "sync_relay_log*", "sync_source_info", "source_info_repository", "replicate_*",
		"replica_start", "replica_skip_errors", "replica_net_timeout", "replica_preserve_commit_order", "replica_parallel_type",
		"replica_exec_mode", "replica_type_conversions", "replica_allow_higher_version_source", "replication_*",
		"rpl_semi_sync_*", "rpl_stop_replica_timeout", "init_replica", "master_info_file", "group_replication_*",
		"clone_*", "ndb*", "max_binlog_dump_events", "sporadic_binlog_dump_fail", "terminology_use_previous",
	}},
	{"opens and closes the database to clients, which the operator does: leave it out", []string{
		"read_only", "super_read_only", "offline_mode", "transaction_read_only", "init_file", "daemonize",
		"persisted_globals_load", "persist_only_*", "grant_tables", "partial_revokes", "initialize*", "upgrade",
	}},
	{"is a place or an address that the operator has laid out: leave it out", []string{
		"datadir", "basedir", "plugin_dir", "lc_messages_dir", "character_sets_dir", "tmpdir", "replica_load_tmpdir",
		"socket", "pid_file", "secure_file_priv", "port", "port_open_timeout", "bind_address", "networking", "name_resolve", "admin_*", "create_admin_*",
		"mysqlx*", "log_error", "log_error_services", "log_timestamps", "log_syslog*", "general_log_file", "slow_query_log_file", "log_isam",
		"innodb_data_home_dir", "innodb_data_file_path", "innodb_temp_data_file_path", "innodb_log_group_home_dir",
		"innodb_undo_directory", "innodb_directories", "innodb_tmpdir", "innodb_temp_tablespaces_dir", "innodb_doublewrite_dir",
		"innodb_redo_log_archive_dirs", "innodb_buffer_pool_filename", "chroot", "user", "core_file", "console",
	}},
	{"is fixed when the volume is initialised: leave it out", []string{
		"innodb_page_size", "lower_case_table_names",
	}},
	{"loads code into the server, which the operator does for its own plugins only: leave it out", []string{
		"plugin_load", "plugin_load_add", "plugin", "early_plugin_load", "clone", "performance_schema", "innodb", "myisam",
		"auth_socket", "keyring_*", "allow_suspicious_udfs",
	}},
	{"belongs to the TLS that every connection has: leave it out", []string{
		"ssl", "ssl_*", "tls_version", "tls_certificates_*", "require_secure_transport", "auto_generate_certs",
		"caching_sha2_password_private_key_path", "caching_sha2_password_public_key_path",
		"sha256_password_private_key_path", "sha256_password_public_key_path",
	}},
	{"is derived from the memory of the container: write innodb_buffer_pool_size, or spec.resources", []string{
		"innodb_dedicated_server", "container_aware", "server_memory",
	}},
	{"asks for rights that the container does not have: leave it out", []string{
		"large_pages", "super_large_pages", "memlock",
	}},
}

// onlyValues bounds settings of which only some values are safe. They are
// compared without regard to case.
var onlyValues = map[string][]string{
	// The others leave out a flush that a crash of the node needs.
	"innodb_flush_method": {"FSYNC", "O_DSYNC", "O_DIRECT"},
	// DISABLED cannot be changed at run time, when the gate opens.
	EventScheduler: {"ON", "OFF"},
	// Tables of another engine are neither crash-safe nor cloned.
	"default_storage_engine": {"INNODB"},
}

// renamed and renamedPrefixes lead from old names, some of which the server
// still takes, to the one that is accepted.
var renamed = map[string]string{
	"log_slave_updates":         "log_replica_updates",
	"skip_slave_start":          "skip_replica_start",
	"rpl_stop_slave_timeout":    "rpl_stop_replica_timeout",
	"init_slave":                "init_replica",
	"master_verify_checksum":    "source_verify_checksum",
	"sync_master_info":          "sync_source_info",
	"log_slow_slave_statements": "log_slow_replica_statements",
	"show_slave_auth_info":      "show_replica_auth_info",
	"master_info_repository":    "source_info_repository",
}

var renamedPrefixes = map[string]string{
	"slave_":                "replica_",
	"rpl_semi_sync_master_": "rpl_semi_sync_source_",
	"rpl_semi_sync_slave_":  "rpl_semi_sync_replica_",
}

// removal says since which series a name is gone and what stands for it.
type removal struct {
	since   int
	instead string
}

// removed: https://dev.mysql.com/doc/mysqld-version-reference/en/. What is said
// to be gone in 9.7 was compared with the settings that its server lists.
var removed = map[string]removal{
	"query_cache_size":                 {order80, "leave it out, there is no query cache any more"},
	"query_cache_type":                 {order80, "leave it out, there is no query cache any more"},
	"query_cache_limit":                {order80, "leave it out, there is no query cache any more"},
	"tx_isolation":                     {order80, "write transaction_isolation"},
	"tx_read_only":                     {order80, "leave it out"},
	"log_warnings":                     {order80, "write log_error_verbosity"},
	"innodb_file_format":               {order80, "leave it out"},
	"innodb_large_prefix":              {order80, "leave it out"},
	"secure_auth":                      {order80, "leave it out"},
	"sync_frm":                         {order80, "leave it out"},
	"default_authentication_plugin":    {order84, "write authentication_policy"},
	"expire_logs_days":                 {order84, "write binlog_expire_logs_seconds"},
	"transaction_write_set_extraction": {order84, "leave it out"},
	"log_bin_use_v1_row_events":        {order84, "leave it out"},
	"avoid_temporal_upgrade":           {order84, "leave it out"},
	"show_old_temporals":               {order84, "leave it out"},
	"character_set_client_handshake":   {order84, "leave it out"},
	"new":                              {order84, "leave it out"},
	"old":                              {order84, "leave it out"},
	"language":                         {order84, "write lc_messages"},
	"innodb_log_file_size":             {order97, "write innodb_redo_log_capacity"},
	"innodb_log_files_in_group":        {order97, "write innodb_redo_log_capacity"},
	"innodb_undo_tablespaces":          {order97, "leave it out"},
	"mysql_native_password":            {order97, "leave it out, accounts use caching_sha2_password"},
	"temptable_use_mmap":               {order97, "write temptable_max_mmap"},
}
