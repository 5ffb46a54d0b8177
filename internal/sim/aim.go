package sim

import "github.com/myuser/db-operator/internal/ha"

// aim is a moment to wait for: faults that strike while something is half done
// find more than those that come at random.
type aim struct {
	name string
	// now is the pod whose moment it is, nil while it is nobody's.
	now func(w *world) *pod
}

// whoIs finds a pod by its agent's state.
func (w *world) whoIs(f func(p *pod) bool) *pod {
	for _, p := range w.pods {
		if p != nil && p.up && f(p) {
			return p
		}
	}
	return nil
}

// aims are the moments that a fault can wait for. The first is none.
var aims = []aim{
	{},
	{"recruiting", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.state.Role == ha.Recruiting })
	}},
	{"a claim is in flight", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.state.Role == ha.Claiming })
	}},
	{"a change of the rule is in flight", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.state.Role.Leads() && p.state.Pending.Version > 0 })
	}},
	{"a change of the rule is at the engine", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool {
			return p.state.Role == ha.Serving && len(p.state.Want.Rule.Members) > 0 && !p.state.Want.Rule.Equal(p.state.Seen.Rule)
		})
	}},
	{"opening", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.state.Role == ha.Opening })
	}},
	{"about to open", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool {
			return p.state.Role == ha.Opening && p.engine.observe().Barrier != nil
		})
	}},
	{"draining", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.state.Role == ha.Draining })
	}},
	{"a release was just sent", func(w *world) *pod { return w.released }},
	{"a write of the register has just landed", func(w *world) *pod { return w.landed }},
	{"a rebuild is running", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.engine.observe().Mode == ha.Rebuilding })
	}},
	{"frozen", func(w *world) *pod {
		return w.whoIs(func(p *pod) bool { return p.state.Role == ha.Following && p.state.Floor > p.state.Seen.Version })
	}},
}

// take lets faults that wait for a moment strike when it has come.
func (w *world) take() {
	for i := 0; i < len(w.aimed); i++ {
		f := w.aimed[i]
		p := aims[f.aim].now(w)
		if p == nil {
			continue
		}
		w.aimed = append(w.aimed[:i], w.aimed[i+1:]...)
		i--
		if f.dice>>20%2 == 0 {
			w.strike(f, p)
			continue
		}
		w.after(w.between(0, 60*ms), func() { w.strike(f, p) })
	}
}
