package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

func TestParseLog(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 24, 30, 123e6, time.UTC)
	for line, want := range map[string]engine.LogLine{
		"2026-11-30 09:24:30.123 UTC [61] 00000 LOG:  database system is ready to accept connections": {
			Time: at, Level: "info", Message: "database system is ready to accept connections"},
		`2026-11-30 09:24:30.123 UTC [61] 42601 ERROR:  syntax error at or near "x" at character 1`: {
			Time: at, Level: "error", Code: "42601", Message: `syntax error at or near "x" at character 1`},
		"2026-11-30 09:24:30.123 UTC [61] 42601 STATEMENT:  x": {
			Time: at, Message: "STATEMENT: x", Continuation: true},
		"2026-11-30 09:24:30.123 UTC [61] 53100 PANIC:  could not write to file": {
			Time: at, Level: "fatal", Code: "53100", Message: "could not write to file"},
		"2026-11-30 09:24:30.123 UTC [61] 28P01 FATAL:  password authentication failed for user \"app\"": {
			Time: at, Level: "error", Code: "28P01", Message: `password authentication failed for user "app"`},
		"2026-11-30 09:24:30.123 UTC [61] 57P03 FATAL:  the database system is starting up": {
			Time: at, Level: "debug", Code: "57P03", Message: "the database system is starting up"},
		`2026-11-30 09:24:30.123 UTC [61] 28000 FATAL:  pg_hba.conf rejects connection for host "127.0.0.1", user "db_operator_gate", database "postgres", SSL encryption`: {
			Time: at, Level: "debug", Code: "28000", Message: `pg_hba.conf rejects connection for host "127.0.0.1", user "db_operator_gate", database "postgres", SSL encryption`},
		"2026-11-30 09:24:30.123 UTC [61] 00000 DEBUG3:  x":   {Time: at, Level: "debug", Message: "x"},
		"\tsecond line of a message":                          {Message: "second line of a message", Continuation: true},
		"a library's own words":                               {Level: "info", Message: "a library's own words"},
		"2026-99-30 09:24:30.123 UTC [61] 00000 LOG:  no day": {Level: "info", Message: "2026-99-30 09:24:30.123 UTC [61] 00000 LOG:  no day"},
		"": {Level: "info"},
	} {
		if diff := cmp.Diff(want, ParseLog(line)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line, diff)
		}
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add("2026-11-30 09:24:30.123 UTC [61] 00000 LOG:  ready")
	f.Add("\t\t")
	f.Fuzz(func(t *testing.T, line string) {
		if got := ParseLog(line); !strings.HasSuffix(line, strings.TrimPrefix(got.Message, "\t")) && !got.Continuation {
			t.Fatalf("%q lost its message: %+v", line, got)
		}
	})
}
