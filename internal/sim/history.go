package sim

import (
	"strconv"

	"github.com/myuser/db-operator/internal/ha"
)

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
