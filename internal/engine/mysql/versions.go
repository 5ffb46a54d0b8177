package mysql

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// series is one line of releases that share an on-disk format, and what is
// different about it. Numbers are matched, never computed with: they were x.y
// until 9.7 and are year.month from 26.7 on.
type series struct {
	name string
	// order of releases: what was removed in one is missing in all later ones.
	order int
	// firstPatch is the oldest patch release that has every statement and
	// setting used here by its present name; empty if all have.
	firstPatch string
	// months bounds the second number of a calendar line; zero for others.
	months [2]int
	// setsApplierOrder: parallel apply by write set must be asked for; later
	// lines know nothing else and refuse the settings.
	setsApplierOrder bool
	// keepsUndo: truncating undo logs fails under super_read_only
	// (bugs.mysql.com 104573).
	keepsUndo bool
}

// Orders of the table below, for "removed in".
const (
	order80 = iota
	order84
	order97
	order26
)

var table = []series{
	{name: "8.0", order: order80, firstPatch: "37", setsApplierOrder: true, keepsUndo: true},
	{name: "8.4", order: order84},
	{name: "9.7", order: order97},
	{name: "26", order: order26, months: [2]int{7, 12}},
}

// written is what a user may write for spec.version, in order; the calendar
// line is shown by the releases known today.
var written = []string{"8.0", "8.4", "9.7", "26.7", "26.10"}

var versionShape = regexp.MustCompile(`^(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,3})){1,3}$`)

// resolve finds the line that a version belongs to.
func resolve(version string) (engine.Version, series, error) {
	unsupported := &engine.UnsupportedVersion{Engine: "mysql", Version: version, Supported: written}
	if !versionShape.MatchString(version) {
		return engine.Version{}, series{}, unsupported
	}
	for _, s := range table {
		patch, found := strings.CutPrefix(version+".", s.name+".")
		if !found {
			continue
		}
		patch = strings.TrimSuffix(patch, ".")
		switch {
		case s.months != [2]int{} && !s.hasMonth(patch):
			return engine.Version{}, series{}, unsupported
		case s.firstPatch != "" && patch != "" && number(patch) < number(s.firstPatch):
			unsupported.Supported = append([]string{s.name + "." + s.firstPatch + " or newer"}, written...)
			return engine.Version{}, series{}, unsupported
		}
		return engine.Version{Series: s.name, Patch: patch}, s, nil
	}
	return engine.Version{}, series{}, unsupported
}

// hasMonth tells whether the first number of patch is a month in which the
// calendar line can have a release.
func (s series) hasMonth(patch string) bool {
	month := number(patch)
	return s.months[0] <= month && month <= s.months[1]
}

// number is the first of dotted numbers; -1 if there is none.
func number(dotted string) int {
	first, _, _ := strings.Cut(dotted, ".")
	n, err := strconv.Atoi(first)
	if err != nil {
		return -1
	}
	return n
}
