package postgres

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// A name with a dot belongs to an extension; the server takes any.
var extensionForm = regexp.MustCompile(`^[a-z_][a-z0-9_$]*(\.[a-z_][a-z0-9_$]*)+$`)

// CheckParameters implements engine.Profile. A value that passes is one with
// which the server starts, except where only the server can know: names of
// libraries, time zones, and sizes that the machine cannot give.
func (p Profile) CheckParameters(version string, parameters map[string]string) []engine.ParameterProblem {
	v, err := p.Resolve(version)
	if err != nil {
		return []engine.ParameterProblem{{Name: "version", Reason: err.Error()}}
	}
	table := tables()[v.Series]
	var problems []engine.ParameterProblem
	written := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(parameters)) {
		key := canonical(name)
		reason := checkOne(v.Series, table, key, parameters[name])
		if other, twice := written[key]; twice && reason == "" {
			reason = fmt.Sprintf("it is the same setting as %s, since case does not matter; keep one", other)
		}
		written[key] = name
		if reason != "" {
			problems = append(problems, engine.ParameterProblem{Name: name, Reason: reason})
		}
	}
	if len(problems) == 0 {
		problems = checkTogether(table, parameters)
	}
	return problems
}

// checkOne returns what is wrong with one setting, or "".
func checkOne(series string, table map[string]setting, name, value string) string {
	if reason := refusal(name); reason != "" {
		return reason
	}
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "the value holds a control character, such as a line break; write it on one line"
	}
	s, known := table[name]
	switch {
	case !known && extensionForm.MatchString(name):
		return ""
	case !known:
		if near := nearest(table, name); near != "" {
			return fmt.Sprintf("PostgreSQL %s has no such setting; did you mean %s?", series, near)
		}
		return fmt.Sprintf("PostgreSQL %s has no such setting; leave it out", series)
	case s.context == "internal":
		return "the server computes it and nobody can set it; leave it out"
	case strings.HasPrefix(name, "transaction_") && name != "transaction_timeout":
		return fmt.Sprintf("it belongs to one transaction; write default_%s instead", name)
	}
	if reason := s.check(value); reason != "" {
		return reason
	}
	if rule, ok := bounds[name]; ok {
		return rule(s, value)
	}
	return ""
}

// bounds are rules on values that the server would take and safety does not.
var bounds = map[string]func(s setting, value string) string{
	"wal_level": func(_ setting, value string) string {
		return notOneOf(value, "minimal writes too little for replicas and backups; write replica or logical", "minimal")
	},
	"ssl_min_protocol_version": oldTLS,
	"ssl_max_protocol_version": oldTLS,
	"max_slot_wal_keep_size":   bounded("a member that never returns would fill the volume; write a size such as 4GB"),
	"max_standby_streaming_delay": bounded(
		"a reader could keep a replica from following for ever; write a time such as 30s"),
	"max_standby_archive_delay": bounded(
		"a reader could keep a replica from following for ever; write a time such as 30s"),
	"max_wal_senders":                atLeast(10, "members, backups and rejoining need that many"),
	"max_replication_slots":          atLeast(10, "members and backups need that many"),
	"superuser_reserved_connections": atLeast(4, "the agent must get in when clients have taken all other connections"),
	"max_connections":                atLeast(10, "some are reserved for the agent"),
	"shared_preload_libraries": func(_ setting, value string) string {
		for library := range strings.SplitSeq(value, ",") {
			if !libraryForm.MatchString(strings.Trim(strings.TrimSpace(library), `"`)) && value != "" {
				return "write names of libraries in the image, separated by commas, such as pg_stat_statements, auto_explain"
			}
		}
		return ""
	},
}

var libraryForm = regexp.MustCompile(`^[A-Za-z0-9_.$/-]+$`)

func notOneOf(value, reason string, forbidden ...string) string {
	if slices.Contains(forbidden, strings.ToLower(strings.TrimSpace(value))) {
		return reason
	}
	return ""
}

func oldTLS(_ setting, value string) string {
	return notOneOf(value, "that version of TLS is broken; write TLSv1.2 or TLSv1.3", "tlsv1", "tlsv1.1")
}

// bounded refuses -1, which means no limit.
func bounded(reason string) func(setting, string) string {
	return func(s setting, value string) string {
		if n, ok := s.number(value); ok && n < 0 {
			return reason
		}
		return ""
	}
}

func atLeast(least float64, why string) func(setting, string) string {
	return func(s setting, value string) string {
		if n, ok := s.number(value); ok && n < least {
			return fmt.Sprintf("%s; write %s or more", why, strconv.FormatFloat(least, 'f', -1, 64))
		}
		return ""
	}
}

// checkTogether finds settings that are fine alone and stop the server
// together. It runs only on settings that passed checkOne.
func checkTogether(table map[string]setting, parameters map[string]string) []engine.ParameterProblem {
	value := func(name string, otherwise float64) float64 {
		for written, text := range parameters {
			if canonical(written) == name {
				if n, ok := table[name].number(text); ok {
					return n
				}
			}
		}
		return otherwise
	}
	reserved := value("superuser_reserved_connections", reservedConnections) + value("reserved_connections", 0)
	if connections := value("max_connections", defaultConnections); connections <= reserved {
		return []engine.ParameterProblem{{
			Name:   "max_connections",
			Reason: fmt.Sprintf("%.0f of them are reserved; write more than that", reserved),
		}}
	}
	return nil
}
