package sim

import (
	"fmt"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// Result is what came of one seed.
type Result struct {
	Seed     uint64
	Members  int
	Block    bool
	Flavour  string
	Broken   string // what was violated; empty: nothing
	At       time.Duration
	Until    time.Duration // virtual time that the seed took
	Hash     uint64
	Faults   int // that struck
	Answered int // writes that clients know to have succeeded
	Opens    int // gates opened
	Writes   int // of the register
}

// Run runs one seed; members 0 means as many as the seed says. tell, unless it
// is nil, receives the story.
func Run(seed uint64, members int, tell func(at time.Duration, line string)) Result {
	return runPlan(planFor(seed, members), tell)
}

// runPlan runs a plan to its end.
func runPlan(p plan, tell func(time.Duration, string)) Result {
	w := newWorld(p.seed)
	w.tell = tell
	w.begin(p)
	for i := range p.faults {
		f := &p.faults[i]
		w.at(f.at, func() {
			if f.aim == 0 {
				w.strike(f, nil)
			} else {
				w.aimed = append(w.aimed, f)
			}
		})
	}
	w.advance(p.quiet)
	if !w.halted && !p.brief {
		w.calmDown()
	}
	return w.result()
}

// begin makes the Database of a plan: a register that lets member 0 write the
// first record, and the pods.
func (w *world) begin(p plan) {
	w.plan = p
	w.pods = make([]*pod, ha.MaxMembers)
	w.volumes = make([]*volume, ha.MaxMembers)
	w.uids = make([]int, ha.MaxMembers)
	w.tainted = map[string]bool{}
	w.options = p.options
	w.drawNetwork()
	w.operator = operator{members: p.members, block: p.block, profile: p.profile}
	if w.tracing() {
		w.tracef("a Database of %d members with %v, blocking: %v, profile %s", p.members, p.flavour, p.block, p.profile)
	}
	w.createRegister(1)
	for ordinal := range p.members {
		w.makePod(ordinal, nil, w.between(0, 500*ms))
	}
	w.operate()
	w.photograph()
	w.workload()
}

// calmDown ends all faults and looks for D and E.
func (w *world) calmDown() {
	w.tracef("all faults end")
	w.heal()
	deadline := w.clock + restWithin
	for !w.halted && !w.rests() {
		w.several = w.several || w.whoIs(unordered) != nil
		if w.clock >= deadline && w.several {
			return // more was lost, or written by somebody, than can be mended without a person
		}
		if w.clock >= deadline {
			w.violate("D: not at rest %v after the last fault: %s", restWithin, w.restless())
			return
		}
		w.advance(w.clock + 100*ms)
	}
	writes := w.register.writes
	w.advance(w.clock + calm)
	switch {
	case w.halted:
	case w.register.writes != writes:
		w.violate("E: the register was written in a calm Database: %v", w.register.record)
	case !w.complete():
		w.violate("D: it does not serve any more: %s", w.restless())
	}
}

// unordered tells whether a member says that positions cannot be compared.
func unordered(p *pod) bool { return p.state.Why == ha.PositionsNotOrdered }

// heal ends every fault.
func (w *world) heal() {
	w.quiet = true
	w.aimed = nil
	w.endGhosts()
	w.healNetwork()
	w.healRegister()
	w.operator.down, w.operator.rolling = 0, 0
	for _, v := range w.volumes {
		if v != nil {
			v.slow, v.hung = 0, 0
			v.engine.slowDisk(0)
			v.engine.hangDisk(false)
			v.engine.fullDisk(false)
		}
	}
}

// rests tells whether the Database has been complete for a while, and the
// register not been written.
func (w *world) rests() bool {
	if !w.complete() || w.operator.stopping != [ha.MaxMembers]bool{} {
		w.incomplete = w.clock
	}
	t := ha.TimingsOf(w.register.record.Profile)
	return w.clock-w.plan.quiet >= t.Lost+restFor && w.clock-w.incomplete >= restFor/2 &&
		w.clock-w.register.changed >= restFor && w.clock-w.clients.last < time.Second
}

// restless says what is missing.
func (w *world) restless() string {
	text := fmt.Sprintf("register %v, %d members wanted", w.register.record, w.operator.members)
	for _, p := range w.pods {
		if p != nil {
			text += fmt.Sprintf("; %s up:%v %v %s engine %v", p.volume.state.UID, p.up, p.state.Role, p.state.Why, p.engine.observe().Mode)
		}
	}
	return text
}

func (w *world) result() Result {
	return Result{
		Seed: w.plan.seed, Members: w.plan.members, Block: w.plan.block, Flavour: w.plan.flavour.String(),
		Broken: w.checks.broken, At: w.checks.at, Until: w.clock, Hash: w.hash, Faults: w.struck,
		Answered: w.clients.answered, Opens: w.checks.opens, Writes: w.register.writes,
	}
}
