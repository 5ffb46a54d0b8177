package sim

import (
	"fmt"
	"slices"

	"github.com/myuser/db-operator/internal/ha"
)

// look tells what has changed in the world since the last look.
func (n *narrator) look() {
	n.lookAtRegister()
	for ordinal := range n.members {
		n.lookAtPod(ordinal)
	}
	n.s.wait()
}

func (n *narrator) lookAtRegister() {
	w, r := n.s.w, &n.s.w.register
	if r.exists != n.exists {
		n.exists = r.exists
		if n.exists && r.made > 1 {
			n.tell("the operator makes the register anew, empty")
		}
	}
	for ; n.records < len(r.history); n.records++ {
		now, before := r.history[n.records].record, ha.Record{}
		if n.records > 0 {
			before = r.history[n.records-1].record
		}
		n.tell("the register holds version %d: %s", now.Version, changed(before, now))
	}
	if w.register.late > 0 && r.tried > n.late {
		r.late, n.s.chance.low = 0, false
		n.tell("the register takes that and does not answer")
	}
}

// changed says how a record differs from the one before.
func changed(before, now ha.Record) string {
	switch {
	case before.Version == 0:
		return fmt.Sprintf("the first record, with %s as the only member", shortAll(now.Members))
	case now.Term != before.Term:
		return leads(now)
	}
	for _, uid := range now.Members {
		if !before.Names(uid) {
			return fmt.Sprintf("%s is in, %s", short(uid), ruleOf(now.Rule))
		}
	}
	gone := slices.DeleteFunc(slices.Clone(before.Members), now.Names)
	if len(gone) > 0 {
		return fmt.Sprintf("%s is out, %s", shortAll(gone), ruleOf(now.Rule))
	}
	return "the same as before, above all that was tried or promised"
}

// lookAtPod tells what became of a member's agent, engine and data.
func (n *narrator) lookAtPod(ordinal int) {
	m, p := &n.members[ordinal], n.s.w.pods[ordinal]
	if p == nil {
		*m = sight{uid: m.uid}
		return
	}
	if p != m.pod {
		*m = sight{pod: p, uid: m.uid}
	}
	who := short(p.volume.state.UID)
	if uid := p.volume.state.UID; uid != m.uid {
		switch {
		case m.uid == "":
		case who[:1] != p.name:
			n.tell("pod %s starts on a volume that says it is %s", p.name, who)
		default:
			n.tell("%s is a new member, on pod %s", who, p.name)
		}
		m.uid = uid
	}
	if p.up != m.up {
		m.up = p.up
		m.wait = wait{}
		if p.up {
			m.contact = 0
			n.tell("%s: its agent starts and follows, whatever it was before", who)
		}
	}
	n.lookAtEngine(m, p.engine, who)
	n.lookAtGate(m, p, who)
	n.waits(m, p, who)
}

// lookAtEngine tells sessions, sources and rebuilds.
func (n *narrator) lookAtEngine(m *sight, e *engine, who string) {
	o := e.observe()
	if e.process != m.process {
		if e.process == primary {
			n.tell("%s: its engine is a primary in session %v, and writes the barrier", who, e.session)
		} else if m.process == primary && e.process == dead {
			n.tell("%s: its engine is dead%s", who, ifOpen(m.open))
			m.open = false
		}
		m.process = e.process
	}
	if o.Diverged != m.diverged {
		m.diverged = o.Diverged
		if (o.Diverged != ha.Session{}) {
			n.tell("%s: its log cannot go on with session %v of %s: it has diverged", who, o.Diverged, n.nameAt(e.driver.want.Source.Ordinal))
		}
	}
	if e.driver.rebuilding != m.rebuilding {
		m.rebuilding = e.driver.rebuilding
		if m.rebuilding {
			what := "is rewound to that of %s, or replaced by it"
			if e.data == nil {
				what = "is to be a copy of that of %s"
			}
			n.tell("%s: its data "+what, who, n.nameAt(e.driver.want.Source.Ordinal))
		}
	}
	if o.Source.Session != m.source.Session || o.Source.UID != m.source.UID {
		m.source = o.Source
		if o.Source.UID != "" {
			n.tell("%s copies the log of %s", who, short(o.Source.UID))
		}
	}
}

func ifOpen(open bool) string {
	if open {
		return ", and serves no client any more"
	}
	return ""
}

// lookAtGate tells when clients can write, and when they cannot any more.
func (n *narrator) lookAtGate(m *sight, p *pod, who string) {
	open := p.engine.gateOpen()
	if open == m.open {
		return
	}
	m.open = open
	switch {
	case open:
		n.tell("%s opens its gate in session %v: clients can write", who, p.engine.session)
	default:
		n.tell("%s serves no client any more", who)
	}
}
