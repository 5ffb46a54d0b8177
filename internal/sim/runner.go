package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// runner is what stands between Decide and the world: it keeps the durable
// state on the disk, holds back what follows from a state that is not there
// yet, and guards the engine.
type runner struct {
	saved   ha.Durable // on the disk, as this agent knows
	saving  bool
	batches []batch // held back, oldest first
	want    ha.Want // what the engine may do at the moment
	ticks   int     // a tick that is not the newest does nothing
	woken   bool    // a wake-up is under way

	// guardian is the moment, on the clock that suspension does not stop, at
	// which the guardian kills the engine; 0: it guards nothing.
	guardian time.Duration
	looks    int // events under way that will look; the newest one counts
}

// batch is what follows from one durable state.
type batch struct {
	durable ha.Durable
	actions []ha.Action
}

// input is one thing that reaches an agent.
type input struct {
	message *ha.Message
	reply   *ha.Reply
	volume  *ha.Boot
	look    bool
	then    func() // instead: something of the runner's own
}

// tickEvery is the longest that a runner leaves Decide alone.
const tickEvery = 50 * ms

// tick keeps Decide going.
func (p *pod) tick(life int) {
	if p.life != life || p.paused > 0 {
		return
	}
	p.runner.ticks++
	p.step(input{})
	tick := p.runner.ticks
	p.w.after(p.clock.until(tickEvery), func() {
		if p.runner.ticks == tick {
			p.tick(life)
		}
	})
}

// woken is called by the engine when it shows something new.
func (p *pod) woken() {
	if !p.up || p.runner.woken {
		return
	}
	p.runner.woken = true
	life := p.life
	p.w.after(p.w.between(0, 2*ms), func() {
		if p.life == life {
			p.runner.woken = false
			p.receive(input{})
		}
	})
}

// answer brings a reply from the register after d, to this life of the agent.
func (p *pod) answer(d time.Duration, r ha.Reply) {
	life := p.life
	p.w.after(d, func() {
		if p.life == life {
			p.receive(input{reply: &r})
		}
	})
}

// receive is a step for one thing that arrived; a paused agent takes it later.
func (p *pod) receive(in input) {
	switch {
	case !p.up:
	case p.paused > 0:
		p.inbox = append(p.inbox, in)
	case in.then != nil:
		in.then()
	default:
		p.step(in)
	}
}

// step is one call of Decide and what comes of it.
func (p *pod) step(in input) {
	before := p.state.Role
	o := ha.Observation{
		Now: p.clock.now(p.w.clock), Random: p.w.rng.Uint64(), Suspended: p.suspended,
		Engine: p.engine.observe(), Spec: p.spec, Claim: p.claim,
		Message: in.message, Reply: in.reply, Volume: in.volume, Look: in.look,
	}
	p.suspended = false
	var actions []ha.Action
	if p.w.tracing() || p.w.watch != nil {
		actions = p.toldDecide(in, o)
	} else {
		p.state, actions = ha.Decide(p.state, o)
	}
	if p.state.Role != before {
		p.w.note(uint64(p.state.Role)<<8 | uint64(p.ordinal))
	}
	p.apply(actions)
}

// toldDecide is Decide where somebody looks on, which is slower.
func (p *pod) toldDecide(in input, o ha.Observation) []ha.Action {
	next, actions := ha.Decide(p.state, o)
	if p.w.tracing() {
		p.tellStep(&next, in, actions)
	}
	if p.w.watch != nil {
		p.w.watch(p, &next, in, actions)
	}
	p.state = next
	return actions
}

// apply does at once what needs no disk and holds back the rest.
func (p *pod) apply(actions []ha.Action) {
	r := &p.runner
	if !r.saving && p.state.Durable.Equal(r.saved) {
		p.setWant(p.state.Want)
		p.act(actions)
		return
	}
	p.setWant(p.state.Want.Meanwhile(r.want))
	held := actions[:0:0]
	for _, a := range actions {
		if send, ok := a.(ha.Send); ok {
			switch send.Body.(type) {
			case ha.Refuse, ha.Stale:
				p.perform(a)
				continue
			}
		}
		held = append(held, a)
	}
	r.batches = append(r.batches, batch{p.state.Durable, held})
	p.save()
}

// save writes the newest durable state, one write at a time.
func (p *pod) save() {
	r := &p.runner
	if r.saving {
		return
	}
	r.saving = true
	life, upTo, writing := p.life, len(r.batches), p.state.Durable
	var write func()
	write = func() {
		switch {
		case p.life != life:
		case p.volume.hung > 0 || p.standing > 0:
			p.w.after(50*ms, write)
		case !p.ownsVolume():
			p.receive(input{then: p.exit})
		default:
			p.volume.state = writing
			p.receive(input{then: func() { p.saved(writing, upTo) }})
		}
	}
	p.w.after(p.writeTime(), write)
}

// saved goes on with what waited for the disk.
func (p *pod) saved(d ha.Durable, upTo int) {
	r := &p.runner
	r.saved, r.saving = d, false
	ready := r.batches[:upTo]
	r.batches = r.batches[upTo:]
	life := p.life
	for _, b := range ready {
		p.act(b.actions)
	}
	switch {
	case p.life != life:
	case len(r.batches) > 0:
		p.save()
	default:
		p.setWant(p.state.Want)
	}
}

// act performs actions in order.
func (p *pod) act(actions []ha.Action) {
	life := p.life
	for _, a := range actions {
		if p.life != life {
			return
		}
		p.perform(a)
	}
}

// perform does one action.
func (p *pod) perform(a ha.Action) {
	switch a := a.(type) {
	case ha.Send:
		d := &p.state.Durable
		if _, ok := a.Body.(ha.Release); ok {
			p.w.released = p
		}
		p.w.send(p, a.To, &ha.Message{
			From: ha.Identity{Cluster: d.Cluster, UID: d.UID, Ordinal: p.ordinal, Boot: d.Boot},
			Body: a.Body,
		})
	case ha.Read:
		p.w.read(p, a.Call)
	case ha.Write:
		p.w.write(p, a.Call, a.Base, a.Record)
	case ha.Verify:
		life := p.life
		p.w.after(p.writeTime(), func() {
			if p.life == life {
				boot := p.volume.state.Boot
				p.receive(input{volume: &boot})
			}
		})
	case ha.Renew:
		p.renew()
	case ha.Exit:
		p.exit()
	}
}

// setWant hands a want to the engine and to the guardian.
func (p *pod) setWant(want ha.Want) {
	r := &p.runner
	if sameWant(&want, &r.want) {
		return
	}
	r.want = want
	before := r.guardian
	r.guardian = 0
	if want.Mode == ha.Primary && want.Until != ha.Forever {
		r.guardian = max(1, p.clock.boottime(p.w.clock)+want.Until-p.clock.now(p.w.clock))
	}
	p.engine.setWant(want)
	if r.guardian != 0 && (before == 0 || r.guardian < before) {
		p.guard()
	}
}

// sameWant compares by content.
func sameWant(a, b *ha.Want) bool {
	return a.Until == b.Until && a.Mode == b.Mode && a.Gate == b.Gate && a.Session == b.Session && a.Source == b.Source &&
		a.Rebuild == b.Rebuild && a.Initialise == b.Initialise && a.Rule.Equal(b.Rule)
}

// guard is the guardian: a process of its own that outlives a paused agent. It
// kills the engine when the time it was given is over.
func (p *pod) guard() {
	r := &p.runner
	if r.guardian == 0 || !p.up || p.standing > 0 { // one that stands looks when it goes on
		return
	}
	left := r.guardian - p.clock.boottime(p.w.clock)
	if left <= 0 {
		r.guardian = 0
		if p.w.tracing() {
			p.w.tracef("%s  its guardian kills the engine", p.name)
		}
		p.engine.kill()
		return
	}
	r.looks++
	life, look := p.life, r.looks
	p.w.after(p.clock.until(left), func() {
		if p.life == life && p.runner.looks == look {
			p.guard()
		}
	})
}

// renew starts the member anew: the volume was turned back or copied, so what
// it holds must not speak for the member it was.
func (p *pod) renew() {
	p.w.tracef("%s  moves the data of %s aside and takes a new uid", p.name, p.state.UID)
	p.die()
	p.w.initialise(p.volume, p.ordinal)
	p.engine.moveAside()
	p.restart(p.w.between(100*ms, time.Second))
}

// exit leaves a volume that somebody else owns.
func (p *pod) exit() {
	p.w.tracef("%s  leaves its volume alone and exits", p.name)
	p.die()
	if p.ghost {
		p.gone = true
		return
	}
	p.restart(p.w.between(time.Second, 3*time.Second))
}

// ownsVolume tells whether nobody else has started on the volume since: the
// store looks before it writes.
func (p *pod) ownsVolume() bool {
	on := p.volume.state
	return on.UID == p.state.UID && on.Boot == p.state.Boot
}
