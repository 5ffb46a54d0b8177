package sim

import (
	"testing"

	"github.com/myuser/db-operator/internal/ha"
)

// logOf is a log of these runs. Branch 0 is mark 1, branch 1 mark 2, and
// branches 2 and 3 are both mark 3, begun at the same entry.
func logOf(f flavour, torn bool, runs ...seg) *image {
	h := &history{}
	for _, b := range []branch{{mark: 1}, {mark: 2, at: 10}, {mark: 3, at: 20}, {mark: 3, at: 20}} {
		h.begin(b)
	}
	l := entries{segs: make([]seg, 0, len(runs))}
	for _, r := range runs {
		l.add(r)
	}
	i := l.image(h, f, l.length)
	i.torn = torn
	return i
}

func TestLogsCompare(t *testing.T) {
	root, left := seg{0, 0, 10}, seg{1, 10, 20}
	cases := map[string]struct {
		flavour flavour
		a, b    []seg
		torn    bool // a
		want    ha.Order
	}{
		"the same log":                            {timelines, []seg{root, left}, []seg{root, left}, false, ha.Equal},
		"a longer log of one timeline":            {timelines, []seg{root, {1, 10, 25}}, []seg{root, left}, false, ha.Ahead},
		"the timeline before":                     {timelines, []seg{root}, []seg{root, left}, false, ha.Behind},
		"past the point where the other left it":  {timelines, []seg{{0, 0, 12}}, []seg{root, left}, false, ha.Diverged},
		"another timeline from the same entry":    {timelines, []seg{root, left}, []seg{root, {2, 10, 20}}, false, ha.Diverged},
		"two timelines of one number look alike":  {timelines, []seg{root, left, {2, 20, 25}}, []seg{root, left, {3, 20, 30}}, false, ha.Behind},
		"half an entry more":                      {timelines, []seg{root, left}, []seg{root, left}, true, ha.Ahead},
		"half an entry where the other left":      {timelines, []seg{root}, []seg{root, left}, true, ha.Diverged},
		"half an entry where the other went on":   {timelines, []seg{{0, 0, 5}}, []seg{root}, true, ha.Behind},
		"nothing written on a new timeline yet":   {timelines, []seg{root, {1, 10, 10}}, []seg{root, {2, 10, 11}}, false, ha.Behind},
		"the same set in another order":           {sets, []seg{root, left}, []seg{left, root}, false, ha.Equal},
		"a part of a set":                         {sets, []seg{root}, []seg{left, root}, false, ha.Behind},
		"a set in two runs":                       {sets, []seg{{0, 0, 5}, left, {0, 5, 10}}, []seg{root, left}, false, ha.Equal},
		"a set with a hole":                       {sets, []seg{{0, 0, 5}, left, {0, 6, 10}}, []seg{root, left}, false, ha.Behind},
		"each has what the other lacks":           {sets, []seg{root, {2, 20, 21}}, []seg{root, left}, false, ha.Diverged},
		"numbers that were given twice are alike": {sets, []seg{root, {2, 20, 25}}, []seg{root, {3, 20, 25}}, false, ha.Equal},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a, b := logOf(c.flavour, c.torn, c.a...), logOf(c.flavour, false, c.b...)
			if got := a.Compare(b); got != c.want {
				t.Errorf("%v is %v of %v, want %v", a, got, b, c.want)
			}
			if got := b.Compare(a); got != c.want.Reverse() {
				t.Errorf("%v is %v of %v, want %v", b, got, a, c.want.Reverse())
			}
		})
	}
}

func TestNothingComparesAsUnknown(t *testing.T) {
	if got := logOf(sets, false, seg{0, 0, 1}).Compare(nil); got != ha.Unknown {
		t.Errorf("a log compared with none is %v, want unknown", got)
	}
}

func TestHistoryKnowsWhatIsLost(t *testing.T) {
	l := logOf(timelines, false, seg{0, 0, 20}, seg{2, 20, 30})
	h := l.history
	for i := range h.branches {
		h.branches[i].ids = make([]int64, 30)
	}
	h.rely(l)
	if what, lost := h.lost(l); lost {
		t.Errorf("a log lacks %s of itself", what)
	}
	hollow := *l
	hollow.last.branch = 3 // looks the same, and is another's
	if _, lost := h.lost(&hollow); !lost || l.Compare(&hollow) != ha.Equal {
		t.Errorf("lost: %v, and the logs are %v; want true, and equal to the eye", lost, l.Compare(&hollow))
	}
}

func TestImagesDoNotChange(t *testing.T) {
	h := &history{}
	h.begin(branch{mark: 1})
	h.begin(branch{mark: 2, at: 5})
	l := entries{}
	l.add(seg{0, 0, 5})
	before := l.image(h, timelines, 5)
	short := l.image(h, timelines, 3)
	l.add(seg{0, 5, 8})
	l.add(seg{1, 8, 9})
	l = l.cut(4)
	l.add(seg{1, 4, 6})
	if before.String() != "1@5" || short.String() != "1@3" {
		t.Errorf("images became %v and %v", before, short)
	}
	if got := l.image(h, timelines, l.length).String(); got != "2@6" {
		t.Errorf("the log is %v, want 2@6", got)
	}
}
