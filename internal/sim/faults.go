package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// fault is one thing that goes wrong, drawn when the seed is planned so that
// leaving another fault out does not change it.
type fault struct {
	kind  int // index of kinds
	at    time.Duration
	lasts time.Duration
	who   who
	aim   int // index of aims; 0: none
	dice  uint64
}

// who is hit.
type who int

const (
	anybody who = iota
	thePrimary
	aFollower
	whoeverAims // the one whose moment it is
)

// kind of fault.
type kind struct {
	name   string
	weight int
	strike func(w *world, f *fault, p *pod)
}

// hidesPast tells whether the fault could hide that a volume was turned back:
// each start of its agent brings its count nearer to what the others know, and
// past it nobody can tell; and where one copy is enough, nobody is asked.
func (k *kind) hidesPast() bool {
	switch k.name {
	case "kill agent", "lose power", "lose all power", "stop pod", "delete pod", "rolling restart", "mount volume twice", "lose all but one", "scale", "change policy":
		return true
	}
	return false
}

// kinds are all the faults there are. A fault that would be more than the
// protocol promises to survive does nothing.
var kinds = []kind{
	{"kill agent", 6, (*world).faultKillAgent},
	{"kill engine", 6, func(w *world, f *fault, p *pod) { p.engine.kill() }},
	{"lose power", 4, (*world).faultLosePower},
	{"lose all power", 2, (*world).faultLoseAllPower},
	{"stop pod", 3, func(w *world, f *fault, p *pod) { w.stopPod(p) }},
	{"delete pod", 3, func(w *world, f *fault, p *pod) { w.deletePod(p) }},
	{"pause agent", 4, func(w *world, f *fault, p *pod) { p.pause(f.lasts, pauseAgent) }},
	{"freeze engine", 3, (*world).faultFreezeEngine},
	{"pause all processes", 4, func(w *world, f *fault, p *pod) { p.pause(f.lasts, pauseWhole) }},
	{"suspend machine", 2, func(w *world, f *fault, p *pod) { p.pause(f.lasts, pauseSuspend) }},
	{"stop machine", 2, func(w *world, f *fault, p *pod) { p.pause(f.lasts, pauseStop) }},
	{"isolate", 6, (*world).faultIsolate},
	{"cut one direction", 5, (*world).faultCutDirection},
	{"cut engines", 4, (*world).faultCutEngines},
	{"split", 4, (*world).faultSplit},
	{"flap", 2, (*world).faultFlap},
	{"lossy network", 4, (*world).faultLossy},
	{"slow network", 2, (*world).faultSlow},
	{"register down", 4, func(w *world, f *fault, _ *pod) { w.during(f, &w.register.down) }},
	{"register slow", 2, func(w *world, f *fault, _ *pod) { w.during(f, &w.register.slow) }},
	{"register forgets answers", 4, func(w *world, f *fault, _ *pod) { w.during(f, &w.register.forgets) }},
	{"register writes late", 4, func(w *world, f *fault, _ *pod) { w.during(f, &w.register.late) }},
	{"register answers stale", 2, func(w *world, f *fault, _ *pod) { w.during(f, &w.register.stale) }},
	{"cut from register", 4, func(w *world, f *fault, p *pod) { w.during(f, &w.network.api[p.ordinal].cuts) }},
	{"delete register", 2, (*world).faultDeleteRegister},
	{"edit register", 1, (*world).faultEditRegister},
	{"restore register", 1, (*world).faultRestoreRegister},
	{"operator down", 2, func(w *world, f *fault, _ *pod) { w.during(f, &w.operator.down) }},
	{"slow disk", 3, (*world).faultSlowDisk},
	{"hung disk", 2, (*world).faultHungDisk},
	{"full disk", 1, (*world).faultFullDisk},
	{"errant write", 2, (*world).faultErrantWrite},
	{"wipe volume", 2, (*world).faultWipe},
	{"turn volume back", 2, (*world).faultTurnBack},
	{"copy volume", 1, (*world).faultCopy},
	{"mount volume twice", 2, (*world).faultMountTwice},
	{"stranger", 1, (*world).faultStranger},
	{"lose all but one", 1, (*world).faultForce},
	{"stall replay", 2, func(w *world, f *fault, p *pod) { p.engine.stallReplay(f.lasts) }},
	{"recycle log", 2, func(w *world, f *fault, p *pod) { p.engine.recycle() }},
	{"switchover", 5, (*world).faultSwitchover},
	{"rolling restart", 1, func(w *world, f *fault, _ *pod) { w.operator.rolling = 1 }},
	{"scale", 3, (*world).faultScale},
	{"change profile", 1, (*world).faultProfile},
	{"change policy", 1, (*world).faultPolicy},
}

// during holds a counter up while the fault lasts.
func (w *world) during(f *fault, counter *int) {
	*counter++
	w.after(f.lasts, func() { *counter = max(0, *counter-1) })
}

// strike lets a fault happen, to whoever it names at this moment.
func (w *world) strike(f *fault, aimedAt *pod) {
	if w.quiet {
		return
	}
	p := w.victim(f, aimedAt)
	if p == nil {
		return
	}
	if left := w.plan.quiet - w.clock; left > 0 && f.lasts > left { // it has waited for its moment
		shorter := *f
		shorter.lasts = left
		f = &shorter
	}
	if kinds[f.kind].hidesPast() && w.anyTainted() {
		return
	}
	if w.tracing() {
		w.tracef("FAULT  %s: %s%s", p.name, kinds[f.kind].name, lasting(f.lasts))
	}
	w.struck++
	w.note(uint64(f.kind))
	kinds[f.kind].strike(w, f, p)
}

// anyTainted tells whether a volume that was turned back has not been found out
// yet.
func (w *world) anyTainted() bool {
	for _, v := range w.volumes {
		if v != nil && w.tainted[v.state.UID] {
			return true
		}
	}
	return false
}

func lasting(d time.Duration) string { return " (" + d.Round(10*ms).String() + ")" }

// victim is the pod that a fault hits; nil if there is none.
func (w *world) victim(f *fault, aimedAt *pod) *pod {
	if f.who == whoeverAims && aimedAt != nil {
		return w.pods[aimedAt.ordinal]
	}
	var fit [ha.MaxMembers]*pod
	n := 0
	for _, p := range w.pods {
		if p == nil {
			continue
		}
		leads := p.up && p.state.Role.Leads()
		if f.who == thePrimary && !leads || f.who == aFollower && leads {
			continue
		}
		fit[n] = p
		n++
	}
	if n == 0 {
		return nil
	}
	return fit[f.dice%uint64(n)]
}

func (w *world) faultKillAgent(f *fault, p *pod) {
	p.die()
	p.restart(min(f.lasts, 3*time.Second))
}

func (w *world) faultLosePower(f *fault, p *pod) {
	p.die()
	p.engine.powerLoss(f.dice%3 != 0)
	p.clock = w.drawClock()
	p.restart(f.lasts)
}

func (w *world) faultLoseAllPower(f *fault, _ *pod) {
	for _, p := range w.pods {
		if p != nil {
			p.die()
			p.engine.powerLoss(f.dice%3 != 0)
			p.clock = w.drawClock()
			p.restart(w.between(f.lasts/4, f.lasts))
		}
	}
}

func (w *world) faultFreezeEngine(f *fault, p *pod) {
	e := p.engine
	e.freeze()
	life := e.life
	w.after(f.lasts, func() {
		if e.life == life {
			e.thaw()
		}
	})
}

// faultIsolate cuts one member from the others, in whole or in part.
func (w *world) faultIsolate(f *fault, p *pod) {
	for o := range ha.MaxMembers {
		if o == p.ordinal {
			continue
		}
		if f.dice>>8%4 != 0 {
			w.during(f, &w.network.agents[p.ordinal][o].cuts)
			w.during(f, &w.network.agents[o][p.ordinal].cuts)
		}
		if f.dice>>8%4 != 1 {
			w.during(f, &w.network.engines[p.ordinal][o].cuts)
			w.during(f, &w.network.engines[o][p.ordinal].cuts)
		}
	}
	if f.dice>>16%2 == 0 {
		w.during(f, &w.network.api[p.ordinal].cuts)
	}
}

// faultCutDirection cuts what one agent says, to one other or to all.
func (w *world) faultCutDirection(f *fault, p *pod) {
	for o := range ha.MaxMembers {
		if f.dice>>8%2 == 0 || int(f.dice>>9%ha.MaxMembers) == o {
			if f.dice>>16%2 == 0 {
				w.during(f, &w.network.agents[p.ordinal][o].cuts)
			} else {
				w.during(f, &w.network.agents[o][p.ordinal].cuts)
			}
		}
	}
}

// faultCutEngines cuts the logs alone.
func (w *world) faultCutEngines(f *fault, p *pod) {
	for o := range ha.MaxMembers {
		if f.dice>>8%2 == 0 || int(f.dice>>9%ha.MaxMembers) == o {
			w.during(f, &w.network.engines[o][p.ordinal].cuts)
			w.during(f, &w.network.engines[p.ordinal][o].cuts)
		}
	}
}

// faultSplit parts the members into two groups.
func (w *world) faultSplit(f *fault, _ *pod) {
	side := f.dice >> 8
	for a := range ha.MaxMembers {
		for b := range ha.MaxMembers {
			if side>>a&1 != side>>b&1 {
				w.during(f, &w.network.agents[a][b].cuts)
				w.during(f, &w.network.engines[a][b].cuts)
			}
		}
		if f.dice>>16%3 == side>>a&1 {
			w.during(f, &w.network.api[a].cuts)
		}
	}
}

// faultFlap isolates a member again and again, for 0.7 s each time.
func (w *world) faultFlap(f *fault, p *pod) {
	short := *f
	short.lasts = 700 * ms
	short.dice &^= 3<<8 | 1<<16
	short.dice |= 2 << 8
	for t := time.Duration(0); t < f.lasts; t += 1400 * ms {
		w.after(t, func() {
			if !w.quiet {
				w.faultIsolate(&short, p)
			}
		})
	}
}

func (w *world) faultLossy(f *fault, p *pod) {
	for a := range ha.MaxMembers {
		for b := range ha.MaxMembers {
			if f.dice>>8%2 == 0 || a == p.ordinal || b == p.ordinal {
				w.during(f, &w.network.agents[a][b].lossy)
			}
		}
	}
}

func (w *world) faultSlow(f *fault, p *pod) {
	extra := time.Duration(20+f.dice>>8%280) * ms
	for a := range ha.MaxMembers {
		for _, l := range []*link{
			&w.network.agents[a][p.ordinal], &w.network.agents[p.ordinal][a],
			&w.network.engines[a][p.ordinal], &w.network.engines[p.ordinal][a],
		} {
			l.extra += extra
			w.after(f.lasts, func() { l.extra = max(0, l.extra-extra) })
		}
	}
}

func (w *world) faultSlowDisk(f *fault, p *pod) {
	v := p.volume
	w.during(f, &v.slow)
	v.engine.slowDisk(time.Duration(f.dice>>8%800) * ms)
	w.after(f.lasts, func() {
		if v.slow == 0 {
			v.engine.slowDisk(0)
		}
	})
}

func (w *world) faultHungDisk(f *fault, p *pod) {
	v := p.volume
	w.during(f, &v.hung)
	v.engine.hangDisk(true)
	w.after(f.lasts, func() { v.engine.hangDisk(v.hung > 0) })
}

func (w *world) faultFullDisk(f *fault, p *pod) {
	v := p.volume
	v.engine.fullDisk(true)
	w.after(f.lasts, func() { v.engine.fullDisk(false) })
}

func (w *world) faultSwitchover(f *fault, p *pod) {
	o := &w.operator
	o.switchover = ha.Switchover{Term: w.register.record.Term, Target: p.ordinal}
	if f.dice>>8%3 == 0 {
		o.switchover.Target = -1
	}
	w.publish()
}

func (w *world) faultScale(f *fault, _ *pod) {
	o := &w.operator
	o.members = 1 + int(f.dice>>8%uint64(max(w.plan.members, 3)))
	w.tracef("operator  wants %d members", o.members)
	w.publish()
}

func (w *world) faultProfile(f *fault, _ *pod) {
	w.operator.profile = []string{ha.Fast, ha.Standard, ha.Far}[f.dice>>8%3]
	w.tracef("operator  wants the profile %s", w.operator.profile)
	w.publish()
}

func (w *world) faultPolicy(f *fault, _ *pod) {
	w.operator.block = !w.operator.block
	w.tracef("operator  wants blocking: %v", w.operator.block)
	w.publish()
}
