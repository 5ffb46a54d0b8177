package exhaustive

import "github.com/myuser/db-operator/internal/ha"

func (r *register) object() ha.Object { return ha.Object{UID: "r", Number: r.number} }

// bootstrap names member 0 until somebody has written.
func (r *register) bootstrap() int {
	if r.record.Version == 0 {
		return 1
	}
	return 0
}

// swap is the compare-and-swap, and C.
func (w *world) swap(e event) {
	n, r := &w.nodes[e.node], &w.register
	if w.ticks < n.cutRegister && e.due == 0 {
		return // it never got there
	}
	reply := &ha.Reply{Call: e.call, Outcome: ha.Conflicted}
	if e.write.Base == r.object() {
		old, record := r.record, e.write.Record
		if record.Version <= old.Version || record.Term < old.Term || record.Term == old.Term && record.Leader != old.Leader {
			w.violate("C: %v follows %v", record, old)
		}
		if err := record.Validate(); err != nil {
			w.violate("C: %v", err)
		}
		r.number++
		r.record = record
		reply = &ha.Reply{Call: e.call, Outcome: ha.Answered, Object: r.object(), Record: record}
	}
	if !e.mute && w.ticks >= n.cutRegister {
		w.push(event{kind: answer, node: e.node, reply: reply})
	}
}
