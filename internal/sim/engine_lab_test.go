package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// lab is a few engines with nothing around them: no agents, no register, no
// faults but those of the test.
type lab struct {
	w       *world
	engines []*engine
	writes  int64
}

// newLab makes engines a, b, c, ... over good links.
func newLab(seed uint64, n int, f flavour, o engineOptions) *lab {
	w := newWorld(seed)
	w.options.engine = o
	w.pods = make([]*pod, ha.MaxMembers)
	w.drawNetwork()
	l := &lab{w: w}
	for i := range n {
		e := newEngine(w, i, f)
		e.uid = string(letter(i))
		w.pods[i] = &pod{w: w, ordinal: i, engine: e}
		l.engines = append(l.engines, e)
		e.agentStarted()
	}
	return l
}

// run lets time pass.
func (l *lab) run(d time.Duration) { l.watch(d, func() bool { return false }) }

// watch lets time pass and tells whether something was true at any moment; it
// stops there.
func (l *lab) watch(d time.Duration, seen func() bool) bool {
	w := l.w
	for until := w.clock + d; ; {
		if seen() {
			return true
		}
		if len(w.events) == 0 || w.events[0].at > until {
			w.clock = until
			return false
		}
		e := w.events.pop()
		w.clock = e.at
		e.run()
	}
}

// lead makes an engine the primary of a session, with its gate open.
func (l *lab) lead(e *engine, s ha.Session, r ha.Rule) {
	l.promote(e, s, r)
	l.open(e)
}

func (l *lab) promote(e *engine, s ha.Session, r ha.Rule) {
	w := ha.Want{Mode: ha.Primary, Session: s, Rule: r, Until: ha.Forever}
	e.setWant(w)
	l.watch(5*time.Second, func() bool { return e.observe().Mode == ha.Primary && e.observe().Rule.Equal(r) && e.barrier != nil })
}

func (l *lab) open(e *engine) {
	w := e.driver.want
	w.Gate = ha.GateOpen
	e.setWant(w)
	l.watch(time.Second, func() bool { return e.observe().Gate == ha.GateOpen })
}

// follow makes an engine a follower, which may be rebuilt for that.
func (l *lab) follow(e, leader *engine, rebuild bool) {
	o := leader.observe()
	e.setWant(ha.Want{Mode: ha.Standby, Rebuild: rebuild, Source: ha.Source{UID: leader.uid, Ordinal: leader.ordinal, Session: o.Session, Binding: o.Binding}})
}

// freeze takes an engine's source away.
func (l *lab) freeze(e *engine) { e.setWant(ha.Want{Mode: ha.Standby}) }

// frozen waits for that.
func (l *lab) frozen(e *engine) {
	l.freeze(e)
	l.watch(10*time.Second, func() bool { return e.observe().Frozen && e.observe().Position.Known() })
}

// crash kills an engine and lets it come back as a standby without a source.
func (l *lab) crash(e *engine) {
	e.kill()
	l.watch(time.Second, func() bool { return e.process == dead })
	l.frozen(e)
}

// write starts a write; the outcome is there when it is known.
func (l *lab) write(e *engine) *outcome {
	l.writes++
	heard := outcomeUnknown
	e.write(l.writes, func(o outcome) { heard = o })
	return &heard
}

// cut takes the link between two engines away, or gives it back.
func (l *lab) cut(a, b *engine, cuts int) {
	l.w.network.engines[a.ordinal][b.ordinal].cuts = cuts
	l.w.network.engines[b.ordinal][a.ordinal].cuts = cuts
}

// isolate cuts an engine off from all others.
func (l *lab) isolate(e *engine, cuts int) {
	for _, o := range l.engines {
		if o != e {
			l.cut(e, o, cuts)
		}
	}
}

// ruleFor is a rule over these engines.
func ruleFor(acks int, members ...*engine) ha.Rule {
	r := ha.Rule{Acks: acks}
	for _, e := range members {
		r.Members = append(r.Members, e.uid)
	}
	return r
}

// serving is a lab whose first engine leads all the others under the usual
// rule, with some writes on all of them.
func serving(seed uint64, n int, f flavour, o engineOptions) *lab {
	l := newLab(seed, n, f, o)
	a := l.engines[0]
	a.setWant(ha.Want{Mode: ha.Standby, Initialise: true})
	l.watch(10*time.Second, func() bool { return a.observe().Frozen && a.observe().Position.Known() })
	l.lead(a, ha.Session{Term: 1, Incarnation: 1}, ruleFor(1, a))
	for _, e := range l.engines[1:] {
		l.follow(e, a, true)
	}
	l.watch(20*time.Second, func() bool { return len(a.conns) == n-1 })
	l.retell(a, ruleFor(n/2+1, l.engines...))
	for range 5 {
		l.write(a)
		l.run(50 * ms)
	}
	l.run(2 * time.Second)
	return l
}

// retell gives a primary another rule and waits until it is in force.
func (l *lab) retell(e *engine, r ha.Rule) bool {
	w := e.driver.want
	w.Rule = r
	e.setWant(w)
	return l.watch(6*time.Second, func() bool { return e.observe().Rule.Equal(r) })
}
