package postgres

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// How the server reads values:
// https://www.postgresql.org/docs/current/config-setting.html

// check tells what is wrong with a value for this setting, or "".
func (s setting) check(value string) string {
	switch s.kind {
	case "bool":
		if !isBool(value) {
			return fmt.Sprintf("%q is not a boolean; write on or off", value)
		}
	case "enum":
		return s.checkEnum(value)
	case "integer", "real":
		return s.checkNumber(value)
	}
	return ""
}

// isBool takes what the server takes: beginnings of the words too, as long as
// they are of one word only.
func isBool(value string) bool {
	v := strings.ToLower(value)
	if v == "" || v == "o" {
		return false
	}
	return slices.ContainsFunc([]string{"true", "false", "yes", "no", "on", "off", "1", "0"},
		func(word string) bool { return strings.HasPrefix(word, v) })
}

func (s setting) checkEnum(value string) string {
	same := func(v string) bool { return strings.EqualFold(v, value) }
	if slices.ContainsFunc(s.values, same) {
		return ""
	}
	// Enums that began as booleans go on taking their words, in full.
	words := []string{"true", "false", "yes", "no", "1", "0"}
	if slices.Contains(s.values, "on") && slices.ContainsFunc(words, same) {
		return ""
	}
	shown := slices.DeleteFunc(slices.Clone(s.values), func(v string) bool { return v == "" })
	return fmt.Sprintf("%q is not one of its values; write one of %s", value, strings.Join(shown, ", "))
}

func (s setting) checkNumber(value string) string {
	n, ok := s.number(value)
	if !ok {
		switch {
		case s.kind == "integer" && octalForm.MatchString(value):
			return fmt.Sprintf("%q has leading zeros, which make it octal; write it without them", value)
		case unitFactors[s.unit].time:
			return fmt.Sprintf("%q is not a time; write one with a unit: us, ms, s, min, h or d", value)
		case s.unit != "":
			return fmt.Sprintf("%q is not a size; write one with a unit: B, kB, MB, GB or TB", value)
		}
		return fmt.Sprintf("%q is not a number; write one without a unit", value)
	}
	low, _ := strconv.ParseFloat(s.low, 64)
	high, _ := strconv.ParseFloat(s.high, 64)
	if s.kind == "integer" {
		n = math.RoundToEven(n)
	}
	if n < low || n > high {
		unit := ""
		if s.unit != "" {
			unit = " in units of " + s.unit
		}
		return fmt.Sprintf("%q is out of range; write a value from %s to %s%s", value, s.low, s.high, unit)
	}
	return ""
}

// unitFactors give bytes or microseconds of each unit, and of the multiples
// that pg_settings uses as base units.
var unitFactors = map[string]struct {
	factor float64
	time   bool
}{
	"B": {1, false}, "kB": {1 << 10, false}, "MB": {1 << 20, false}, "GB": {1 << 30, false}, "TB": {1 << 40, false},
	"8kB": {8 << 10, false}, "16kB": {16 << 10, false}, "16MB": {16 << 20, false},
	"us": {1, true}, "ms": {1e3, true}, "s": {1e6, true}, "min": {6e7, true}, "h": {3.6e9, true}, "d": {8.64e10, true},
}

var octalForm = regexp.MustCompile(`^\s*[-+]?0[0-9]`)

var numberForm = regexp.MustCompile(`^\s*([-+]?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))\s*([A-Za-z]*)\s*$`)

// number reads a value in the setting's base unit. Units are case-sensitive
// and only for settings that have one.
func (s setting) number(value string) (float64, bool) {
	parts := numberForm.FindStringSubmatch(value)
	if parts == nil || s.kind == "integer" && octalForm.MatchString(value) {
		return 0, false
	}
	n, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		whole, err := strconv.ParseInt(parts[1], 0, 64)
		if err != nil {
			return 0, false
		}
		n = float64(whole)
	}
	if parts[2] == "" {
		return n, true
	}
	base, hasBase := unitFactors[s.unit]
	unit, known := unitFactors[parts[2]]
	if !hasBase || !known || base.time != unit.time {
		return 0, false
	}
	return n * unit.factor / base.factor, true
}
