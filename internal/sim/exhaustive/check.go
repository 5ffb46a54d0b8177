package exhaustive

import (
	"slices"
	"strings"

	"github.com/myuser/db-operator/internal/ha"
)

// gateOpen tells whether clients can write here.
func (w *world) gateOpen(i int) bool {
	e := &w.nodes[i].engine
	return e.mode == ha.Primary && e.gate == ha.GateOpen && !w.nodes[i].stopped
}

// clientWrites is one write; the client hears of it when enough have it.
func (w *world) clientWrites(i int) {
	w.append(i)
	w.count(i)
}

// count lets succeed what enough members have, and checks A of it: if another
// gate has opened since, that log must have it.
func (w *world) count(i int) {
	e := &w.nodes[i].engine
	if e.mode != ha.Primary || e.gate != ha.GateOpen || w.nodes[i].stopped {
		return
	}
	length := len(e.log)
	if e.rule.Acks > 1 {
		var confirmed []int
		for f := range w.members {
			if f != i && e.rule.Names(w.nodes[f].state.UID) {
				confirmed = append(confirmed, e.acked[f])
			}
		}
		slices.Sort(confirmed)
		if len(confirmed) < e.rule.Acks-1 {
			return
		}
		length = confirmed[len(confirmed)-(e.rule.Acks-1)]
	}
	for _, entry := range []byte(e.log[:min(length, len(e.log))]) {
		if strings.IndexByte(w.relied, entry) >= 0 {
			continue
		}
		w.relied += string(rune(entry))
		if w.opened != i+1 && strings.IndexByte(string(w.log), entry) < 0 {
			w.violate("A: %s acknowledges what is not in the log of session %v that opened later", w.nodes[i].state.UID, w.session)
		}
	}
}

// open checks A, B and C of a gate that opens.
func (w *world) open(i int) {
	e, uid := &w.nodes[i].engine, w.nodes[i].state.UID
	for _, entry := range []byte(w.relied) {
		if strings.IndexByte(string(e.log), entry) < 0 {
			w.violate("A: %s opens in session %v without entry %d", uid, e.session, entry)
		}
	}
	for j := range w.members {
		if j != i && w.gateOpen(j) && w.ticks >= w.nodes[j].excused && w.ticks >= w.nodes[i].excused {
			w.violate("B: %s opens while %s is open", uid, w.nodes[j].state.UID)
		}
	}
	if e.session.Before(w.session) {
		w.violate("C: %s opens in session %v after session %v", uid, e.session, w.session)
	}
	w.opened, w.session, w.log = i+1, e.session, e.log
	for _, entry := range []byte(e.log) {
		if strings.IndexByte(w.relied, entry) < 0 {
			w.relied += string(rune(entry))
		}
	}
}

// checkGates is B, where a machine goes on that was stopped.
func (w *world) checkGates() {
	open := -1
	for i := range w.members {
		if !w.gateOpen(i) || w.ticks < w.nodes[i].excused {
			continue
		}
		if open >= 0 {
			w.violate("B: %s and %s are open", w.nodes[open].state.UID, w.nodes[i].state.UID)
		}
		open = i
	}
}
