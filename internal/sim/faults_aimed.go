package sim

import "time"

// Faults that random seeds do not draw: each puts together what would have to
// coincide, for tests that look for one thing.
func init() {
	kinds = append(kinds,
		kind{"stop machine until it is replaced", 0, (*world).faultStopUntilReplaced},
		kind{"restart the others", 0, (*world).faultRestartOthers},
		kind{"isolate agent", 0, (*world).faultIsolateAgent},
		kind{"stall replay of the others", 0, (*world).faultStallOthers},
	)
}

// faultStopUntilReplaced stops a machine until somebody is about to take its
// place: then it goes on, with its clock where it was, and its agent hears
// nothing for a while.
func (w *world) faultStopUntilReplaced(f *fault, p *pod) {
	moments := [...]string{"recruiting", "recruiting", "a claim is in flight", "about to open"}
	moment := moments[f.dice>>8%uint64(len(moments))]
	deadline := w.clock + max(f.lasts, 4*time.Second)
	p.stop(pauseStop)
	deaf := *f
	deaf.lasts = deadline - w.clock
	w.faultIsolateAgent(&deaf, p)
	var look func()
	look = func() {
		if other := momentOf(w, moment); w.clock < deadline && (other == nil || other == p) {
			w.after(5*ms, look)
			return
		}
		w.after(w.between(0, 60*ms), func() { p.resume(pauseStop) })
	}
	look()
}

// momentOf is the pod whose moment it is.
func momentOf(w *world, name string) *pod {
	for _, a := range aims {
		if a.name == name {
			return a.now(w)
		}
	}
	return nil
}

// faultRestartOthers ends every agent but one.
func (w *world) faultRestartOthers(f *fault, p *pod) {
	for _, o := range w.pods {
		if o != nil && o != p {
			o.die()
			o.restart(w.between(20*ms, 500*ms))
		}
	}
}

// faultIsolateAgent cuts a member's agent from the others; its engine goes on
// to feed them.
func (w *world) faultIsolateAgent(f *fault, p *pod) {
	for o := range w.pods {
		if o != p.ordinal {
			w.during(f, &w.network.agents[p.ordinal][o].cuts)
			w.during(f, &w.network.agents[o][p.ordinal].cuts)
		}
	}
	w.during(f, &w.network.api[p.ordinal].cuts)
}

// faultStallOthers lets replay stand still on every follower.
func (w *world) faultStallOthers(f *fault, p *pod) {
	for _, o := range w.pods {
		if o != nil && o != p {
			o.engine.stallReplay(f.lasts)
		}
	}
}
