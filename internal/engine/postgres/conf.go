package postgres

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// RenderedSetting is a setting of ours that carries a hash of all rendered
// files: a new session that shows it proves that the server has read them.
const RenderedSetting = "db_operator.rendered"

// conf renders postgresql.conf. others are the files that are read with it.
func conf(c engine.Config, series string, others []engine.File) string {
	settings := defaults(c)
	for name, value := range c.Parameters {
		settings[canonical(name)] = value
	}
	maps.Copy(settings, required(c, series))

	var b strings.Builder
	b.WriteString("# Written by the agent before every start and on every change; edits are lost.\n" +
		"# Settings of the Database's spec.parameters are among these.\n")
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		fmt.Fprintf(&b, "%s = %s\n", name, quote(settings[name]))
	}
	hash := sha256.New()
	for _, f := range others {
		fmt.Fprintf(hash, "%s\x00%s\x00", f.Name, f.Content)
	}
	hash.Write([]byte(b.String()))
	fmt.Fprintf(&b, "%s = '%s'\n", RenderedSetting, hex.EncodeToString(hash.Sum(nil))[:16])
	return b.String()
}

// defaults are what users' parameters may replace.
func defaults(c engine.Config) map[string]string {
	s := memorySettings(c.Memory, c.Parameters)
	maps.Copy(s, map[string]string{
		"max_connections":                fmt.Sprint(defaultConnections),
		"superuser_reserved_connections": fmt.Sprint(reservedConnections),
		"max_wal_senders":                "20",
		"max_replication_slots":          "20",
		"wal_level":                      "replica",
		// A slot whose member never returns must not fill the volume.
		"max_slot_wal_keep_size": "2GB",
		// Replay waits this long for a reader and no longer, since a member
		// reconnects only when all its log is replayed.
		"max_standby_streaming_delay": "5s",
		"max_standby_archive_delay":   "5s",
		"ssl_min_protocol_version":    "TLSv1.2",
		"timezone":                    "UTC",
		// What initdb writes for this locale into the file that ours replaces.
		"default_text_search_config": "pg_catalog.english",
		// Where the node has huge pages and the pod's limits do not, the
		// server dies of SIGBUS: https://www.postgresql.org/docs/current/kernel-resources.html
		"huge_pages": "off",
		// A client whose machine vanished gives up its locks in about 15 s
		// instead of two hours.
		"tcp_keepalives_idle":     "5",
		"tcp_keepalives_interval": "3",
		"tcp_keepalives_count":    "3",
		"tcp_user_timeout":        "15s",
	})
	return s
}

// required are the settings on which safety or the agent depends; refused.go
// keeps users from setting them.
func required(c engine.Config, series string) map[string]string {
	s := map[string]string{
		"hba_file":   filepath.Join(c.Paths.ConfigDir, HBAFile),
		"ident_file": filepath.Join(c.Paths.ConfigDir, IdentFile),

		"listen_addresses":        "*", // both address families
		"port":                    fmt.Sprint(port),
		"unix_socket_directories": filepath.Join(c.Paths.RunDir, SocketDir),
		"authentication_timeout":  "5s",
		"password_encryption":     "scram-sha-256",
		"ssl":                     "on",
		"ssl_cert_file":           c.CertFile,
		"ssl_key_file":            c.KeyFile,
		"ssl_ca_file":             c.CAFile,

		// A backend that crashed ends the session of writing; whether the
		// engine starts again is the agent's decision.
		"restart_after_crash": "off",
		"fsync":               "on",
		"full_page_writes":    "on",
		"synchronous_commit":  "on",
		"wal_log_hints":       "on",
		// The rule of one member: nobody else acknowledges.
		"synchronous_standby_names": "",

		"primary_conninfo":             "",
		"primary_slot_name":            "",
		"recovery_target_timeline":     "latest",
		"wal_retrieve_retry_interval":  "100ms",
		"wal_receiver_timeout":         "5s",
		"wal_sender_timeout":           "5s",
		"wal_receiver_status_interval": "1s",

		// The form that ParseLog reads.
		"log_destination":     "stderr",
		"logging_collector":   "off",
		"log_line_prefix":     "%m [%p] %e ",
		"log_timezone":        "UTC",
		"lc_messages":         "C",
		"log_error_verbosity": "default",
	}
	if canForbidAlterSystem(series) {
		s["allow_alter_system"] = "off"
	}
	if hasIOMethod(series) {
		s["io_method"] = "worker"
	}
	return s
}

// WantedSize is the value that this setting gets at the next start, in a unit
// of one. It is for settings that count connections, processes and the like.
func WantedSize(name string, parameters map[string]string) int {
	text, ours := defaults(engine.Config{Parameters: parameters})[name]
	if !ours {
		text = stockSizes[name]
	}
	for written, value := range parameters {
		if canonical(written) == name {
			text = value
		}
	}
	n, _ := setting{}.number(text)
	return int(n)
}

// stockSizes are the server's own defaults of those that we leave alone.
var stockSizes = map[string]string{
	"max_worker_processes":      "8",
	"max_prepared_transactions": "0",
	"max_locks_per_transaction": "64",
}

// quote writes a value as postgresql.conf has it: quotes doubled, backslashes
// too, since the file reads C-like escapes.
func quote(value string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(value) + "'"
}

// Rendered is the value of RenderedSetting in these files, or "".
func Rendered(files []engine.File) string {
	for _, f := range files {
		if f.Name != ConfigFile {
			continue
		}
		if _, value, found := strings.Cut(f.Content, RenderedSetting+" = '"); found {
			return strings.TrimSuffix(value, "'\n")
		}
	}
	return ""
}
