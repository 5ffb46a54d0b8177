package postgres

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

// settings/<series>.tsv hold what a server says of its own settings in
// pg_settings: name, type, unit, lowest and highest value, the values of an
// enum, and when it takes effect. The conformance run compares each with the
// real server, and writes it with -update. No server of 16 was at hand: its
// table is that of 15 with the changes of its release notes.
// https://www.postgresql.org/docs/current/view-pg-settings.html
//
//go:embed settings/*.tsv
var settingsFiles embed.FS

// setting is one line of the table.
type setting struct {
	name, kind, unit string
	low, high        string
	values           []string
	context          string
}

// tables are read once per process; they are the program's own files, so one
// that cannot be read is a broken build.
var tables = sync.OnceValue(func() map[string]map[string]setting {
	all := map[string]map[string]setting{}
	for _, s := range series {
		text, err := settingsFiles.ReadFile("settings/" + s + ".tsv")
		if err != nil {
			panic(err)
		}
		all[s] = parseSettings(string(text))
	}
	return all
})

// SettingsTable is the stored table of a series, as the conformance run
// compares it.
func SettingsTable(series string) string {
	text, err := settingsFiles.ReadFile("settings/" + series + ".tsv")
	if err != nil {
		return ""
	}
	return string(text)
}

func parseSettings(text string) map[string]setting {
	table := map[string]setting{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 7 {
			panic(fmt.Sprintf("settings table: %q has %d columns", line, len(f)))
		}
		s := setting{name: f[0], kind: f[1], unit: f[2], low: f[3], high: f[4], context: f[6]}
		if f[5] != "" {
			s.values = strings.Split(f[5], ",")
		}
		table[s.name] = s
	}
	return table
}

// canonical is the form of a name in the table: the server ignores case.
func canonical(name string) string { return strings.ToLower(name) }

// nearest finds the known name that a mistyped one probably means, or "".
func nearest(table map[string]setting, name string) string {
	best, distance := "", 3
	for known := range table {
		if d := editDistance(known, name, distance); d < distance || (d == distance && best != "" && known < best) {
			best, distance = known, d
		}
	}
	return best
}

// editDistance is Levenshtein's, cut off at limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost = min(diagonal, row[j], row[j+1]) + 1
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
