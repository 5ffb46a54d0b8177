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

// history is the truth that no engine can see: every entry that any engine
// ever wrote, by the branch it was written on, and how far the outside world
// has relied on each branch.
type history struct {
	branches []branch
	servers  int32 // server numbers given out (sets)
}

// branch is what one engine wrote in one go: in one session, or errantly. An
// entry is named by its branch and its index there.
type branch struct {
	// mark is all that engines see of a branch: the number of its timeline or
	// of its server. Two branches may have the same.
	mark    int32
	errant  bool
	at      int64      // index of the first entry: of a session, its barrier
	session ha.Session // zero if errant, or the first data
	ids     []int64    // of client writes, by index - at; 0: the engine's own
	relied  int64      // entries below it were acknowledged, or could be read
}

// begin makes a branch and returns its number.
func (h *history) begin(b branch) int32 {
	b.ids = make([]int64, 0, 256)
	h.branches = append(h.branches, b)
	return int32(len(h.branches) - 1)
}

// rely notes that clients know of everything in the log.
func (h *history) rely(l *image) {
	for _, s := range l.closed {
		h.relySeg(s)
	}
	h.relySeg(l.last)
}

func (h *history) relySeg(s seg) {
	b := &h.branches[s.branch]
	b.relied = max(b.relied, s.hi)
}

// lost names the first entry that clients rely on and that is not in the log.
func (h *history) lost(l *image) (string, bool) {
	for i := range h.branches {
		b := &h.branches[i]
		for at := b.at; at < b.relied; {
			hi, ok := l.covers(int32(i), at)
			if !ok {
				return "entry " + strconv.FormatInt(at, 10) + " of branch " + strconv.Itoa(i) + " " + b.session.String() +
					", write " + strconv.FormatInt(b.ids[at-b.at], 10), true
			}
			at = hi
		}
	}
	return "", false
}

// find is where a client write is; ok is false if it is nowhere.
func (h *history) find(id int64) (branch int32, index int64, ok bool) {
	for i := range h.branches {
		for k, have := range h.branches[i].ids {
			if have == id {
				return int32(i), h.branches[i].at + int64(k), true
			}
		}
	}
	return 0, 0, false
}

// seg is a run of entries of one branch: lo included, hi not.
type seg struct {
	branch int32
	lo, hi int64
}

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

// entries is a log that grows. All but its last run are shared with the images
// taken of it, and never changed.
type entries struct {
	segs   []seg
	length int64
}

// add appends the entries of a run.
func (l *entries) add(s seg) {
	l.length += s.hi - s.lo
	if n := len(l.segs); n > 0 {
		if last := &l.segs[n-1]; last.branch == s.branch && last.hi == s.lo {
			last.hi = s.hi
			return
		}
		if last := &l.segs[n-1]; last.lo == last.hi {
			*last = s
			return
		}
	}
	l.segs = append(l.segs, s)
}

// image is the log up to a length.
func (l *entries) image(h *history, f flavour, length int64) *image {
	i, end := l.find(length)
	last := l.segs[i]
	last.hi = end
	return &image{history: h, flavour: f, closed: l.segs[:i:i], last: last, length: length}
}

// find is the run in which the log reaches a length, and the index there.
func (l *entries) find(length int64) (int, int64) {
	i, rest := len(l.segs)-1, l.length-length
	for i > 0 && rest >= l.segs[i].hi-l.segs[i].lo {
		if rest == 0 && l.segs[i].hi == l.segs[i].lo {
			break // a branch that was begun and has no entry yet
		}
		rest -= l.segs[i].hi - l.segs[i].lo
		i--
	}
	return i, l.segs[i].hi - rest
}

// cut is the log up to a length, with no memory shared.
func (l *entries) cut(length int64) entries {
	i, end := l.find(length)
	segs := append(make([]seg, 0, i+4), l.segs[:i+1]...)
	segs[i].hi = end
	return entries{segs, length}
}

// entriesOf is a log like the image, to be continued.
func entriesOf(l *image) entries {
	segs := append(make([]seg, 0, l.segs()+4), l.closed...)
	return entries{append(segs, l.last), l.length}
}
