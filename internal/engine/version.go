package engine

import (
	"strconv"
	"strings"
)

// VersionChange classifies an edit of spec.version.
type VersionChange int

const (
	SameVersion   VersionChange = iota // nothing to do
	WithinSeries                       // a rolling update
	AcrossSeries                       // another on-disk format: refused
	BackwardPatch                      // an older patch of the same series: refused
)

// Change classifies the edit from one supported version to another. A version
// without a patch stands for the newest one, whose number is not known here:
// going to or from it stays within the series.
func Change(from, to Version) VersionChange {
	switch {
	case from == to:
		return SameVersion
	case from.Series != to.Series:
		return AcrossSeries
	case from.Patch != "" && to.Patch != "" && lower(to.Patch, from.Patch):
		return BackwardPatch
	default:
		return WithinSeries
	}
}

// lower compares dotted numbers part by part.
func lower(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range min(len(as), len(bs)) {
		x, _ := strconv.Atoi(as[i])
		y, _ := strconv.Atoi(bs[i])
		if x != y {
			return x < y
		}
	}
	return len(as) < len(bs)
}
