package postgres

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

func TestCheckParametersAccepts(t *testing.T) {
	for name, parameters := range map[string]map[string]string{
		"nothing":                         nil,
		"a number":                        {"max_connections": "300"},
		"sizes with units":                {"shared_buffers": "1GB", "work_mem": " 64 MB ", "max_wal_size": "1.5GB"},
		"times with units":                {"statement_timeout": "30s", "checkpoint_timeout": "15min", "log_min_duration_statement": "-1"},
		"booleans in any spelling":        {"jit": "OFF", "autovacuum": "ye", "log_lock_waits": "1"},
		"enums in any case":               {"log_statement": "DDL", "wal_compression": "lz4"},
		"an enum that began as a boolean": {"constraint_exclusion": "true"},
		"mixed case names":                {"TimeZone": "Europe/Berlin", "DateStyle": "ISO, DMY"},
		"quotes in a string":              {"search_path": `"$user", public`},
		"settings of an extension":        {"shared_preload_libraries": "pg_stat_statements, auto_explain", "pg_stat_statements.max": "5000"},
		"logical decoding":                {"wal_level": "logical"},
		"stricter TLS":                    {"ssl_min_protocol_version": "TLSv1.3"},
		"a number in hexadecimal":         {"max_connections": "0x100"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range series {
				if problems := (Profile{}).CheckParameters(version, parameters); len(problems) > 0 {
					t.Errorf("%s: %v", version, problems)
				}
			}
		})
	}
}

func TestCheckParametersRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		parameter, value string
		reason           string // a part of it
	}{
		"fsync":                          {"fsync", "off", "acknowledged writes"},
		"fsync in capitals":              {"FSYNC", "on", "acknowledged writes"},
		"the names list":                 {"synchronous_standby_names", "*", "acknowledged writes"},
		"a weaker commit":                {"synchronous_commit", "off", "acknowledged writes"},
		"another port":                   {"port", "5433", "Service"},
		"TLS off":                        {"ssl", "off", "always on"},
		"another certificate":            {"ssl_cert_file", "/tmp/x", "always on"},
		"an archive command":             {"archive_command", "true", "archiving"},
		"a restore command":              {"restore_command", "true", "archiving"},
		"an include":                     {"include", "/etc/passwd", "spec.parameters"},
		"another file of logins":         {"hba_file", "/tmp/x", "GRANT"},
		"our own settings":               {"db_operator.rendered", "x", "agent"},
		"a mistyped name":                {"max_conections", "5", "did you mean max_connections?"},
		"an unknown name":                {"innodb_buffer_pool_size", "5", "no such setting"},
		"a line break":                   {"search_path", "a\nfsync = off", "control character"},
		"a NUL":                          {"search_path", "a\x00", "control character"},
		"a word as a number":             {"max_connections", "many", "not a number"},
		"a number with a strange unit":   {"work_mem", "4mb", "B, kB, MB, GB or TB"},
		"a size as a time":               {"statement_timeout", "4MB", "us, ms, s, min, h or d"},
		"a unit where there is none":     {"max_connections", "4kB", "without a unit"},
		"a number out of range":          {"max_connections", "1000000", "from 1 to 262143"},
		"a size out of range":            {"shared_buffers", "1kB", "in units of 8kB"},
		"a boolean that is none":         {"jit", "maybe", "write on or off"},
		"a boolean of two words":         {"jit", "o", "write on or off"},
		"a boolean with a space":         {"jit", " on", "write on or off"},
		"a number that would be octal":   {"max_connections", "0100", "leading zeros"},
		"an enum's value that is none":   {"log_statement", "some", "none, ddl, mod, all"},
		"a computed value":               {"block_size", "8192", "computes"},
		"a transaction's own setting":    {"transaction_isolation", "serializable", "default_transaction_isolation"},
		"too little in the log":          {"wal_level", "minimal", "replica or logical"},
		"old TLS":                        {"ssl_min_protocol_version", "TLSv1.1", "TLSv1.2"},
		"slots without a bound":          {"max_slot_wal_keep_size", "-1", "fill the volume"},
		"readers without a bound":        {"max_standby_streaming_delay", "-1", "for ever"},
		"too few senders":                {"max_wal_senders", "2", "10 or more"},
		"all connections reserved":       {"superuser_reserved_connections", "100", "reserved"},
		"a library with a strange name":  {"shared_preload_libraries", "a b;c", "separated by commas"},
		"a name that is no name":         {"a b", "1", "no such setting"},
		"an empty name":                  {"", "1", "no such setting"},
		"an extension's name with space": {"a. b", "1", "no such setting"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, version := range series {
				problems := Profile{}.CheckParameters(version, map[string]string{c.parameter: c.value})
				if len(problems) != 1 || !strings.Contains(problems[0].Reason, c.reason) {
					t.Errorf("%s: %v, want one problem with %q", version, problems, c.reason)
				}
			}
		})
	}
}

func TestCheckParametersSortsByName(t *testing.T) {
	got := Profile{}.CheckParameters("17", map[string]string{"port": "1", "fsync": "off", "ssl": "off"})
	var names []string
	for _, p := range got {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"fsync", "port", "ssl"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestCheckParametersFindsNamesWrittenTwice(t *testing.T) {
	got := Profile{}.CheckParameters("17", map[string]string{"TimeZone": "UTC", "timezone": "UTC"})
	if len(got) != 1 || !strings.Contains(got[0].Reason, "same setting as TimeZone") {
		t.Error(got)
	}
}

func TestCheckParametersKnowsTheVersion(t *testing.T) {
	for version, accepted := range map[string]bool{"15": false, "16": true, "17": true, "18": true} {
		problems := Profile{}.CheckParameters(version, map[string]string{"reserved_connections": "3"})
		if (len(problems) == 0) != accepted {
			t.Errorf("%s: %v", version, problems)
		}
	}
}

// What users may not set must be what we set, or something we know.
func TestEveryRequiredSettingIsRefused(t *testing.T) {
	for _, version := range series {
		for name := range required(testConfig(version), version) {
			if refusal(name) == "" {
				t.Errorf("%s: users may set %s, which is overwritten", version, name)
			}
			if _, known := tables()[version][name]; !known {
				t.Errorf("%s: %s is not a setting", version, name)
			}
		}
	}
}

func TestDefaultsPassTheirOwnCheck(t *testing.T) {
	for _, version := range series {
		c := engine.Config{Memory: gib}
		if problems := (Profile{}).CheckParameters(version, defaults(c)); len(problems) > 0 {
			t.Errorf("%s: %v", version, problems)
		}
	}
}

// Whatever passes must stay one line of the file and say the same there.
func FuzzConf(f *testing.F) {
	f.Add("search_path", `it's \ "fine"`)
	f.Add("work_mem", "4MB")
	f.Add("a.b", "'; fsync = off")
	f.Fuzz(func(t *testing.T, name, value string) {
		parameters := map[string]string{name: value}
		if len((Profile{}).CheckParameters("17", parameters)) > 0 {
			return
		}
		c := testConfig("17")
		c.Parameters = nil
		without, _ := Profile{}.Files(c)
		c.Parameters = parameters
		with, _ := Profile{}.Files(c)
		added := strings.Count(with[2].Content, "\n") - strings.Count(without[2].Content, "\n")
		if added < 0 || added > 1 {
			t.Fatalf("%q = %q adds %d lines", name, value, added)
		}
		if got := unquote(t, quote(value)); got != value {
			t.Fatalf("%q is read as %q", value, got)
		}
	})
}

// unquote reads a quoted value as the server's scanner does.
func unquote(t *testing.T, quoted string) string {
	body := quoted[1 : len(quoted)-1]
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		switch {
		case body[i] == '\\' && i+1 < len(body):
			i++
		case body[i] == '\'' && i+1 < len(body) && body[i+1] == '\'':
			i++
		case body[i] == '\'':
			t.Fatalf("%q ends early", quoted)
		}
		b.WriteByte(body[i])
	}
	return b.String()
}
