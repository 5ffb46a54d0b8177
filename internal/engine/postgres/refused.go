package postgres

import "strings"

// Why a setting is not the user's. Each is a sentence that says what to write
// instead.
const (
	unsafe    = "it could lose acknowledged writes or let two members write; leave it out"
	managed   = "the agent sets it; leave it out"
	addresses = "the agent sets it, since Services and probes count on it; leave it out, and publish another address or port with a Service of your own"
	tls       = "the agent sets it: TLS is always on, with the certificates of the Database's own CA; leave it out"
	logging   = "the agent sets it: the log is JSON lines on the container's output, which a log collector reads; leave it out"
	archiving = "the agent manages archiving and recovery; leave it out"
	login     = "the agent writes the files of logins, which shut clients out during a failover; leave it out, and use roles and GRANT"
)

// refused are names that users may not set.
var refused = map[string]string{
	"allow_alter_system":           managed,
	"allow_in_place_tablespaces":   unsafe,
	"allow_system_table_mods":      unsafe,
	"data_directory":               managed,
	"data_directory_mode":          managed,
	"data_sync_retry":              unsafe,
	"event_source":                 managed,
	"external_pid_file":            managed,
	"fsync":                        unsafe,
	"full_page_writes":             unsafe,
	"hot_standby":                  unsafe,
	"ignore_checksum_failure":      unsafe,
	"ignore_invalid_pages":         unsafe,
	"ignore_system_indexes":        unsafe,
	"io_method":                    "the agent sets it to worker, since containers may not use io_uring; leave it out",
	"primary_conninfo":             unsafe,
	"primary_slot_name":            unsafe,
	"promote_trigger_file":         unsafe,
	"restart_after_crash":          unsafe,
	"sync_replication_slots":       managed,
	"synchronized_standby_slots":   managed,
	"wal_log_hints":                unsafe,
	"wal_receiver_timeout":         managed,
	"wal_retrieve_retry_interval":  managed,
	"wal_receiver_status_interval": managed,
	"wal_sender_timeout":           managed,
	"zero_damaged_pages":           unsafe,

	"bonjour":                 addresses,
	"bonjour_name":            addresses,
	"listen_addresses":        addresses,
	"port":                    addresses,
	"unix_socket_group":       addresses,
	"unix_socket_permissions": addresses,
	"unix_socket_directories": addresses,

	"authentication_timeout": login,
	"config_file":            login,
	"db_user_namespace":      login,
	"hba_file":               login,
	"ident_file":             login,
	"include":                "put the settings themselves into spec.parameters",
	"include_dir":            "put the settings themselves into spec.parameters",
	"include_if_exists":      "put the settings themselves into spec.parameters",
	"krb_server_keyfile":     login,
	"password_encryption":    login,

	"lc_messages":         logging,
	"log_destination":     logging,
	"log_error_verbosity": logging,
	"log_line_prefix":     logging,
	"log_timezone":        logging,
	"logging_collector":   logging,
}

// refusedPrefixes are families of such names.
var refusedPrefixes = []struct{ prefix, reason string }{
	{"synchronous_", unsafe},
	{"archive_", archiving},
	{"recovery_target", archiving},
	{"recovery_end_command", archiving},
	{"restore_command", archiving},
	{"syslog_", logging},
	{"db_operator.", managed},
}

// openTLS are the settings of TLS that only make it stricter or faster.
var openTLS = map[string]bool{
	"ssl_ciphers": true, "ssl_tls13_ciphers": true, "ssl_groups": true, "ssl_ecdh_curve": true,
	"ssl_min_protocol_version": true, "ssl_max_protocol_version": true,
	"ssl_prefer_server_ciphers": true, "ssl_renegotiation_limit": true,
}

// refusal tells why users may not set this name, or "".
func refusal(name string) string {
	if reason, ok := refused[name]; ok {
		return reason
	}
	if (name == "ssl" || strings.HasPrefix(name, "ssl_")) && !openTLS[name] {
		return tls
	}
	for _, p := range refusedPrefixes {
		if strings.HasPrefix(name, p.prefix) {
			return p.reason
		}
	}
	return ""
}
