package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// operator makes and removes pods, keeps the register's object there, and tells
// agents what the user wants. It decides nothing about who leads.
type operator struct {
	members    int
	block      bool
	profile    string
	switchover ha.Switchover
	force      int64 // a person's request, to the member of the ordinal forced
	forced     int
	down       int // faults
	published  int // changes of what is wanted, so far
	rolling    int // ordinal after the next one of a rolling restart; 0: none
	rollUntil  time.Duration
	making     [ha.MaxMembers]bool
	stopping   [ha.MaxMembers]bool
	removed    [ha.MaxMembers]bool // by a scale-down; all others come back
}

// spec is what the operator wants a pod's agent to know.
func (o *operator) spec(p *pod) ha.Spec {
	s := ha.Spec{Members: o.members, Block: o.block, Profile: o.profile, Switchover: o.switchover, Stopping: o.stopping[p.ordinal] && !p.ghost}
	if o.forced == p.ordinal {
		s.Force = o.force
	}
	return s
}

// operate is the operator's loop.
func (w *world) operate() {
	o := &w.operator
	if o.down == 0 && w.register.down == 0 {
		if !w.register.exists {
			w.tracef("operator  makes the register anew, empty")
			w.createRegister(0)
		}
		w.poke()
		for ordinal := range ha.MaxMembers {
			switch p := w.pods[ordinal]; {
			case p == nil && !o.making[ordinal] && (ordinal < o.members || w.volumes[ordinal] != nil && !o.removed[ordinal]):
				w.makePod(ordinal, w.volumes[ordinal], w.between(100*ms, 900*ms))
			case ordinal >= o.members && p != nil && !o.stopping[ordinal] && w.mayRemove(p):
				w.removePod(p)
			}
		}
		w.roll()
	}
	w.after(w.between(200*ms, 500*ms), w.operate)
}

// poke tells whoever leads to look at a register that holds less than members
// have seen.
func (w *world) poke() {
	for _, p := range w.pods {
		if p != nil && p.up && p.state.Role.Leads() && w.register.record.Version < p.runner.saved.Seen.Version {
			w.after(w.between(2*ms, 20*ms), func() { p.receive(input{look: true}) })
		}
	}
}

// publish brings what is wanted to the agents, to each in its own time.
func (w *world) publish() {
	w.operator.published++
	n := w.operator.published
	for _, p := range w.pods {
		if p == nil {
			continue
		}
		w.after(w.between(5*ms, 300*ms), func() {
			if w.operator.published == n && p.up {
				p.spec = w.operator.spec(p)
			}
		})
	}
}

// makePod makes a pod on a volume, or on a new one if there is none.
func (w *world) makePod(ordinal int, v *volume, after time.Duration) {
	w.operator.making[ordinal], w.operator.removed[ordinal] = true, false
	w.after(after, func() {
		w.operator.making[ordinal] = false
		if w.pods[ordinal] != nil {
			return
		}
		if v == nil {
			v = w.newVolume(ordinal)
		}
		w.volumes[ordinal] = v
		p := w.newPod(ordinal, v)
		p.copied = v.state.Claim != v.claim
		w.pods[ordinal] = p
		w.takeFiles(v)
		p.boot()
	})
}

// mayRemove tells whether a pod that is not wanted any more can go: the leader
// knows that it is not wanted, neither the record nor one that somebody tries
// to write names it, and that record has been seen by enough members to outlive
// the register.
func (w *world) mayRemove(p *pod) bool {
	record, uid := w.register.record, p.volume.state.UID
	if record.Version == 0 || record.Names(uid) {
		return false
	}
	seen, led := 0, false
	for _, o := range w.pods {
		if o == nil {
			continue
		}
		if o.volume.state.Pending.Names(uid) || o.state.Pending.Names(uid) || o.state.Want.Rule.Names(uid) {
			return false
		}
		switch {
		case !o.up:
		case o.runner.saved.Seen.Version > record.Version:
			return false // the register has been turned back
		case record.Names(o.state.UID) && o.runner.saved.Seen.Equal(record):
			seen++
			led = led || o.state.UID == record.Leader && o.state.Role.Leads() && o.spec.Members <= p.ordinal
		}
	}
	return led && seen >= record.Acks
}

// removePod is a scale-down: the pod goes, and its volume mostly with it.
func (w *world) removePod(p *pod) {
	w.tracef("operator  removes %s, which is wanted no more", p.name)
	p.die()
	p.gone = true
	w.pods[p.ordinal] = nil
	w.operator.removed[p.ordinal] = true
	if !w.chance(4) {
		w.volumes[p.ordinal] = nil
	}
}

// stopPod deletes a pod the polite way: the agent is told, has a moment to hand
// over, and dies. The pod comes back on its volume, maybe elsewhere.
func (w *world) stopPod(p *pod) {
	o, ordinal := &w.operator, p.ordinal
	if o.stopping[ordinal] {
		return
	}
	o.stopping[ordinal] = true
	life, deadline := p.life, w.clock+3*time.Second
	p.spec.Stopping = true
	var look func()
	look = func() {
		if p.life == life && p.state.Role.Leads() && w.clock < deadline {
			w.after(100*ms, look)
			return
		}
		o.stopping[ordinal] = false
		w.publish()
		w.deletePod(p)
	}
	w.after(200*ms, look)
}

// deletePod takes a pod away at once; the operator makes it anew.
func (w *world) deletePod(p *pod) {
	if w.pods[p.ordinal] != p {
		return
	}
	p.die()
	p.gone = true
	w.pods[p.ordinal] = nil
}

// roll restarts pod after pod, each when the one before is back.
func (w *world) roll() {
	o := &w.operator
	if o.rolling == 0 || w.anyTainted() {
		return
	}
	for _, p := range w.pods {
		if p != nil && o.stopping[p.ordinal] {
			return
		}
	}
	if w.clock < o.rollUntil && !w.complete() {
		return
	}
	if o.rolling > o.members {
		o.rolling = 0
		return
	}
	if p := w.pods[o.rolling-1]; p != nil {
		w.tracef("operator  restarts %s", p.name)
		w.stopPod(p)
	}
	o.rolling++
	o.rollUntil = w.clock + 10*time.Second
}

// leader is the pod that serves under the newest record, nil if none does.
func (w *world) leader() *pod {
	for _, p := range w.pods {
		if p != nil && p.up && p.state.Role == ha.Serving && p.state.Seen.Leader == p.state.UID &&
			p.state.Seen.Version == w.register.record.Version {
			return p
		}
	}
	return nil
}

// complete tells whether the Database serves with every wanted member in its
// rule and following.
func (w *world) complete() bool {
	p := w.leader()
	if p == nil || !p.engine.gateOpen() || len(p.state.Seen.Members) != w.operator.members {
		return false
	}
	for ordinal := range w.operator.members {
		o := w.pods[ordinal]
		if o == nil || !o.up || o.paused > 0 || !p.state.Seen.Names(o.state.UID) {
			return false
		}
		if e := o.engine.observe(); o != p && (e.Mode != ha.Standby || e.Source.Session != p.engine.session || e.Errant) {
			return false
		}
	}
	return true
}
