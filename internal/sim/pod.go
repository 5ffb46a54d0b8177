package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// volume is what outlives pods: the agent's durable state and the engine's
// data, under a claim.
type volume struct {
	claim  string
	state  ha.Durable // as it is on the disk
	engine *engine

	snapshots []snapshotOf // for a disk that is turned back
	slow      int          // faults that make every write take up to a second
	hung      int          // faults that make every write wait
}

// snapshotOf is a volume as it was.
type snapshotOf struct {
	state ha.Durable
	data  *snapshot
}

// pod is one member's place: a name that does not change, a machine, an agent
// and an engine that come and go, and a volume.
type pod struct {
	w         *world
	ordinal   int
	name      string
	volume    *volume
	engine    *engine
	clock     clock
	ghost     bool          // given up by the cluster, and running on
	forgotten time.Duration // when nobody knows a ghost's address any more

	// The agent's process. Whatever is under way when it ends belongs to an
	// older life and comes to nothing.
	up    bool
	life  int
	state ha.State
	spec  ha.Spec
	claim string // as the agent has read it

	paused    int   // faults that stop the agent
	standing  int   // of these: faults that stop the whole machine
	stood     pause // what stopped the clock
	suspended bool
	inbox     []input // what arrived meanwhile

	runner runner
	copied bool // on a new claim: its machine has just spoken to the API server
	gone   bool // removed by the operator, or for good
}

// uidOf makes names that people can tell apart: a1, a2, b1.
func uidOf(letter byte, number int) string {
	if number < 10 {
		return string([]byte{letter, '0' + byte(number)})
	}
	return string([]byte{letter, '0' + byte(number/10%10), '0' + byte(number%10)})
}

// cluster is the uid of the Database's data.
const cluster = "db"

// letter is the pod's name in stories.
func letter(ordinal int) byte { return byte('a' + ordinal) }

// newVolume is an empty one under a new claim.
func (w *world) newVolume(ordinal int) *volume {
	w.claims++
	v := &volume{claim: uidOf('q', w.claims), engine: newEngine(w, ordinal, w.plan.flavour)}
	w.initialise(v, ordinal)
	return v
}

// initialise gives a volume without a member its uid.
func (w *world) initialise(v *volume, ordinal int) {
	w.uids[ordinal]++
	uid := uidOf(letter(ordinal), w.uids[ordinal])
	v.state = ha.Durable{UID: uid}
	if w.chance(2) {
		v.state.Claim = v.claim // else the agent finds out
	}
	if ordinal == 0 && w.register.newest().Version == 0 {
		v.state.Cluster = cluster
	}
	v.engine.uid = uid
}

// newPod is the operator's: a pod on a volume, not running yet.
func (w *world) newPod(ordinal int, v *volume) *pod {
	return &pod{w: w, ordinal: ordinal, name: string(letter(ordinal)), volume: v, engine: v.engine, clock: w.drawClock()}
}

// boot starts the agent: it counts the start on the volume, and only then is
// there an agent.
func (p *pod) boot() {
	p.life++
	life := p.life
	p.w.after(p.writeTime(), func() {
		if p.life != life || p.gone {
			return
		}
		d := p.volume.state
		d.Boot = ha.Boot{Number: d.Boot.Number + 1, Nonce: p.w.rng.Uint64() | 1}
		p.volume.state = d
		p.state = ha.Start(d, p.ordinal, p.clock.now(p.w.clock))
		p.up = true
		p.spec = p.w.operator.spec(p)
		p.claim = ""
		p.inbox = p.inbox[:0]
		p.runner = runner{saved: d}
		p.engine.agentStarted()
		p.engine.wake = p.woken
		p.readClaim()
		if p.w.tracing() {
			p.w.tracef("%s  its agent starts, boot %d of %s", p.name, d.Boot.Number, d.UID)
		}
		p.tick(life)
	})
}

// die ends the agent, and with it every process of the pod.
func (p *pod) die() {
	p.life++
	p.up = false
	p.engine.agentDied()
}

// restart is what follows a death: the kubelet starts the container again.
func (p *pod) restart(after time.Duration) {
	life := p.life
	p.w.after(after, func() {
		if p.life == life && !p.gone {
			p.boot()
		}
	})
}

// readClaim looks the claim up by name, again and again until it is answered.
func (p *pod) readClaim() {
	life, link := p.life, &p.w.network.api[p.ordinal]
	p.w.after(link.delay(p.w)+p.w.between(0, 20*ms), func() {
		switch {
		case p.life != life:
		case p.copied || p.w.register.down == 0 && link.up():
			p.claim = p.volume.claim
		default:
			p.w.after(500*ms, func() {
				if p.life == life {
					p.readClaim()
				}
			})
		}
	})
}

// writeTime is how long the disk takes for one small durable write.
func (p *pod) writeTime() time.Duration {
	d := p.w.between(500*time.Microsecond, 6*ms)
	if p.volume.slow > 0 {
		d += p.w.between(0, 800*ms)
	}
	if !p.w.quiet && p.w.chance(100) {
		d += p.w.between(0, 100*ms)
	}
	return d
}

// pause stops the agent for a while; whole stops its engine and guardian too.
// What arrives meanwhile waits. The clock runs on, or stands still with the
// machine, which the agent notices only if the machine was suspended.
func (p *pod) pause(d time.Duration, kind pause) {
	p.stop(kind)
	p.w.after(d, func() { p.resume(kind) })
}

// stop is the beginning of a pause that somebody will end by resume.
func (p *pod) stop(kind pause) {
	p.paused++
	p.engine.agentPaused()
	if kind != pauseAgent {
		p.standing++
		if p.standing == 1 {
			p.engine.freeze()
		}
		if kind != pauseWhole && p.standing == 1 {
			p.clock.stop(p.w.clock)
			p.stood = kind
		}
	}
}

// pause says what stops.
type pause int

const (
	pauseAgent   pause = iota
	pauseWhole         // every process; the clocks run on
	pauseSuspend       // the machine; its second clock shows it
	pauseStop          // the machine, from outside; no clock shows it
)

// resume ends a pause. A machine on which several things stopped goes on when
// the last of them does, and what its clock shows then is decided by what
// stopped it.
func (p *pod) resume(kind pause) {
	if p.gone {
		return
	}
	p.paused--
	if kind != pauseAgent {
		p.standing--
		if p.standing == 0 {
			how := pauseWhole
			if p.clock.still >= 0 {
				how = p.stood
			}
			p.clock.goOn(p.w.clock, how == pauseSuspend)
			p.suspended = p.suspended || how == pauseSuspend
			p.engine.thaw()
			p.w.woke(p, how)
			p.guard()
		}
	}
	if p.paused > 0 {
		return
	}
	p.engine.agentResumed()
	if !p.up {
		return
	}
	if p.w.tracing() {
		p.w.tracef("%s  its agent goes on", p.name)
	}
	p.drain()
	p.tick(p.life)
}

// drain takes what has arrived during a pause, one thing after the other.
func (p *pod) drain() {
	waiting := p.inbox
	p.inbox = nil
	for _, in := range waiting {
		if p.up && p.paused == 0 {
			p.receive(in)
		}
	}
}
