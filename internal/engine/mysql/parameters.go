package mysql

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// EventScheduler may be set by the user, but follows the gate: off until the
// gate opens, then as asked for, ON by default.
const EventScheduler = "event_scheduler"

// longestValue keeps a line of the option file within the reader's buffer of
// 4096 bytes, escapes included; what is beyond it would be read as a new line.
const longestValue = 1500

var parameterName = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)?$`)

// refusal says why a setting cannot be used with this series and what to write
// instead; empty if it can. Whether the server knows the name, and takes the
// value, is not known here: the driver asks the server itself.
func refusal(s series, name, value string) string {
	if canonical := canonicalName(name); canonical != name {
		return refusedSpelling(s, canonical)
	}
	if !parameterName.MatchString(name) {
		return "is not the name of a setting: write names as SHOW VARIABLES shows them"
	}
	for _, candidate := range append([]string{name}, bare(name)...) {
		if reason := ownedReason(candidate); reason != "" {
			return reason
		}
	}
	if r, found := removed[name]; found && s.order >= r.since {
		return fmt.Sprintf("was removed before MySQL %s: %s", s.name, r.instead)
	}
	return refusedValue(name, value)
}

// canonicalName is the one spelling that is accepted: the server takes dashes
// for underscores, any case of letters in some places, and a loose_ prefix.
func canonicalName(name string) string {
	c := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	c = strings.TrimLeft(c, "_")
	for strings.HasPrefix(c, "loose_") {
		c = strings.TrimPrefix(c, "loose_")
	}
	for old, now := range renamedPrefixes {
		if rest, found := strings.CutPrefix(c, old); found {
			return now + rest
		}
	}
	if now, found := renamed[c]; found {
		return now
	}
	return c
}

// refusedSpelling names the one accepted spelling, or says at once that this
// one would be refused too.
func refusedSpelling(s series, canonical string) string {
	if reason := refusal(s, canonical, ""); reason != "" {
		return fmt.Sprintf("is another spelling of %s, which %s", canonical, reason)
	}
	return fmt.Sprintf("is not the canonical spelling: write %s", canonical)
}

// bare strips the prefixes by which the server turns a setting off, on, or
// caps it (https://dev.mysql.com/doc/refman/9.7/en/option-modifiers.html).
func bare(name string) []string {
	var out []string
	for _, prefix := range []string{"skip_", "disable_", "enable_", "maximum_"} {
		if rest, found := strings.CutPrefix(name, prefix); found {
			out = append(out, rest)
		}
	}
	return out
}

// ownedReason says why a setting belongs to the operator; empty if it does not.
func ownedReason(name string) string {
	for _, group := range ownedSettings {
		for _, pattern := range group.names {
			prefix, isPrefix := strings.CutSuffix(pattern, "*")
			if name == pattern || isPrefix && strings.HasPrefix(name, prefix) {
				return group.reason
			}
		}
	}
	return ""
}

// refusedValue checks what would be unsafe in an otherwise free setting.
func refusedValue(name, value string) string {
	switch {
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "has a value with a control character: write it on one line"
	case len(value) > longestValue:
		return fmt.Sprintf("has a value of more than %d bytes: write a shorter one", longestValue)
	}
	if allowed, found := onlyValues[name]; found && !slices.Contains(allowed, strings.ToUpper(value)) {
		return fmt.Sprintf("must be one of %s", strings.Join(allowed, ", "))
	}
	return ""
}
