package sim

import (
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/ha"
)

// flavour is the kind of log that the engines of a world keep.
type flavour int

const (
	// timelines: one sequence of bytes. Each promotion begins a new timeline,
	// whose number the promoting engine picks alone: two may pick the same.
	timelines flavour = iota
	// sets: transactions numbered per server. A log is the set of those that
	// it holds, so two logs need not be nested.
	sets
)

// String draws the flavour for stories.
func (f flavour) String() string { return [...]string{"timelines", "sets"}[f] }

// image is a log at one moment, in the order in which its entries came. It is
// never changed. It is what ha sees as a position's Log: Compare and String
// use the marks alone, as an engine would; covers knows the truth.
type image struct {
	history *history
	flavour flavour
	closed  []seg
	last    seg
	length  int64
	torn    bool // half an entry more is there
}

var _ ha.Log = (*image)(nil)

// covers tells up to where the log holds the branch's entries from index on.
func (l *image) covers(branch int32, index int64) (int64, bool) {
	if l.last.branch == branch && l.last.lo <= index && index < l.last.hi {
		return l.last.hi, true
	}
	for _, s := range l.closed {
		if s.branch == branch && s.lo <= index && index < s.hi {
			return s.hi, true
		}
	}
	return 0, false
}

// seg is the i-th run of the log.
func (l *image) seg(i int) seg {
	if i < len(l.closed) {
		return l.closed[i]
	}
	return l.last
}

func (l *image) segs() int { return len(l.closed) + 1 }

// Compare implements ha.Log.
func (l *image) Compare(other ha.Log) ha.Order {
	o, ok := other.(*image)
	if !ok || l == nil || o == nil {
		return ha.Unknown
	}
	if l.last.branch == o.last.branch && l.last.lo == o.last.lo && len(l.closed) == len(o.closed) &&
		(len(l.closed) == 0 || &l.closed[0] == &o.closed[0]) {
		return compareLengths(l, o)
	}
	if l.flavour == sets {
		return compareSets(l, o)
	}
	return compareTimelines(l, o)
}

func compareLengths(l, o *image) ha.Order {
	switch {
	case l.length > o.length, l.length == o.length && l.torn && !o.torn:
		return ha.Ahead
	case l.length < o.length, o.torn && !l.torn:
		return ha.Behind
	}
	return ha.Equal
}

// compareTimelines compares lineages: the shorter log must end on a timeline
// that the longer one has, and before the longer one left it.
func compareTimelines(l, o *image) ha.Order {
	short, long, order := l, o, compareLengths(l, o)
	if order == ha.Ahead {
		short, long = o, l
	}
	if short.lineage(long) {
		return order
	}
	return ha.Diverged
}

// lineage tells whether l, which is not longer, ends within long's history, as
// far as the numbers of the timelines tell.
func (l *image) lineage(long *image) bool {
	i, j := 0, 0
	for {
		a, nextA := l.timeline(i)
		b, nextB := long.timeline(j)
		switch {
		case l.mark(a) != long.mark(b) || a.lo != b.lo:
			return a.lo == a.hi // nothing was written on it yet
		case nextA == l.segs():
			return a.hi < b.hi || a.hi == b.hi && !(l.torn && nextB < long.segs())
		case nextB == long.segs() || a.hi != b.hi:
			return false
		}
		i, j = nextA, nextB
	}
}

// timeline is the run that begins with seg i and stays on one timeline, and
// the number of the seg after it.
func (l *image) timeline(i int) (seg, int) {
	run := l.seg(i)
	for i++; i < l.segs() && l.mark(l.seg(i)) == l.mark(run); i++ {
		run.hi = l.seg(i).hi
	}
	return run, i
}

func (l *image) mark(s seg) int32 { return l.history.branches[s.branch].mark }

func compareSets(l, o *image) ha.Order {
	within, contains := l.within(o), o.within(l)
	switch {
	case within && contains:
		return ha.Equal
	case within:
		return ha.Behind
	case contains:
		return ha.Ahead
	}
	return ha.Diverged
}

// within tells whether o has every number that l has.
func (l *image) within(o *image) bool {
	for i := range l.segs() {
		if s := l.seg(i); o.numbered(l.mark(s), s.lo, s.hi) < s.hi {
			return false
		}
	}
	return true
}

// numbered tells up to where the log has the numbers from lo to hi.
func (l *image) numbered(mark int32, lo, hi int64) int64 {
	for grew := true; grew && lo < hi; {
		grew = false
		for i := range l.segs() {
			if s := l.seg(i); l.mark(s) == mark && s.lo <= lo && lo < s.hi {
				lo, grew = s.hi, true
			}
		}
	}
	return min(lo, hi)
}

// String implements ha.Log: "2@117" is entry 117 on timeline 2; "1:1-90,3:1-7"
// are the numbers per server.
func (l *image) String() string {
	var b strings.Builder
	if l.flavour == timelines {
		b.WriteString(strconv.Itoa(int(l.mark(l.last))) + "@" + strconv.FormatInt(l.length, 10))
		if l.torn {
			b.WriteByte('+')
		}
		return b.String()
	}
	for i := range l.segs() {
		s := l.seg(i)
		if s.lo == s.hi {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(l.mark(s))) + ":" + strconv.FormatInt(s.lo, 10) + "-" + strconv.FormatInt(s.hi-1, 10))
	}
	return b.String()
}
