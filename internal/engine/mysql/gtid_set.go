package mysql

import (
	"cmp"
	"maps"
	"slices"

	"github.com/myuser/db-operator/internal/ha"
)

// Set is a set of GTIDs, the log of a member as far as it was executed or
// received. The zero value is empty. Sets are values: no method changes one.
type Set struct {
	// Of each source the intervals are not empty, sorted, and apart by at
	// least one number; no source has none. So equal sets have equal fields.
	sources map[source][]interval
}

// source gave out numbers of its own: a server, or a tag on one.
type source struct{ uuid, tag string }

// interval holds the numbers from first to last.
type interval struct{ first, last int64 }

var _ ha.Log = Set{}

// Compare implements ha.Log by inclusion, never by counting.
func (s Set) Compare(other ha.Log) ha.Order {
	o, ok := other.(Set)
	if !ok {
		return ha.Unknown
	}
	switch more, less := s.Contains(o), o.Contains(s); {
	case more && less:
		return ha.Equal
	case more:
		return ha.Ahead
	case less:
		return ha.Behind
	default:
		return ha.Diverged
	}
}

// Empty tells whether the set holds no GTID.
func (s Set) Empty() bool { return len(s.sources) == 0 }

// Contains tells whether s holds all of o.
func (s Set) Contains(o Set) bool { return o.Subtract(s).Empty() }

// Union holds what is in s or in o.
func (s Set) Union(o Set) Set {
	out := maps.Clone(s.sources)
	if out == nil {
		out = map[source][]interval{}
	}
	for src, intervals := range o.sources {
		out[src] = normal(slices.Concat(out[src], intervals))
	}
	return Set{out}
}

// Subtract holds what is in s and not in o.
func (s Set) Subtract(o Set) Set {
	out := map[source][]interval{}
	for src, intervals := range s.sources {
		if left := without(intervals, o.sources[src]); len(left) > 0 {
			out[src] = left
		}
	}
	return Set{out}
}

// Newest is the highest number of a server's untagged GTIDs; 0 if there is
// none.
func (s Set) Newest(uuid string) int64 {
	intervals := s.sources[source{uuid: uuid}]
	if len(intervals) == 0 {
		return 0
	}
	return intervals[len(intervals)-1].last
}

// normal sorts intervals and joins those that touch.
func normal(intervals []interval) []interval {
	slices.SortFunc(intervals, func(a, b interval) int { return cmp.Compare(a.first, b.first) })
	var out []interval
	for _, i := range intervals {
		if n := len(out); n > 0 && i.first <= out[n-1].last+1 {
			out[n-1].last = max(out[n-1].last, i.last)
			continue
		}
		out = append(out, i)
	}
	return out
}

// without is what remains of intervals when those of gone are taken out; both
// are normal, and so is the result.
func without(intervals, gone []interval) []interval {
	var out []interval
	for _, i := range intervals {
		for _, g := range gone {
			if g.last < i.first {
				continue
			}
			if g.first > i.last {
				break
			}
			if g.first > i.first {
				out = append(out, interval{i.first, g.first - 1})
			}
			i.first = g.last + 1
		}
		if i.first <= i.last {
			out = append(out, i)
		}
	}
	return out
}
