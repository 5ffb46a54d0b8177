package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// driver is the agent's half of an engine. It works towards the newest want,
// one job at a time, in steps; between two steps anything may happen. It lives
// and stops with the agent, the engine does not.
type driver struct {
	want   ha.Want
	up     bool
	paused bool
	held   []func() // steps that wait for the agent to go on

	jobs      int        // the steps of a job that is not the newest are void
	target    ha.Session // that the present job works for
	busy      bool       // with a job
	starting  bool       // there is no process, and there will be
	promoting bool       // what it is to be is not told before it is that

	source   ha.Source // accepted
	final    bool      // the position will not change
	diverged ha.Session
	rule     ha.Rule // in force
	binding  string
	spent    ha.Session // not to be resumed

	rebuilding bool
	rebuilds   int
	beat       int
	haltedAt   time.Duration
}

// agentStarted is a new agent: nothing is known, and what is left of the
// engine is killed.
func (e *engine) agentStarted() {
	e.driver = driver{jobs: e.driver.jobs + 1, rebuilds: e.driver.rebuilds, beat: e.driver.beat, up: true, haltedAt: e.driver.haltedAt}
	e.kill()
	e.driver.work(e)
}

// agentDied takes every process of the pod with it.
func (e *engine) agentDied() {
	e.kill()
	d := &e.driver
	d.up, d.held, d.busy, d.starting, d.promoting = false, nil, false, false, false
	d.jobs++
}

// agentPaused stops the driver where it is.
func (e *engine) agentPaused() { e.driver.paused = true }

// agentResumed lets it go on.
func (e *engine) agentResumed() {
	d := &e.driver
	if !d.paused {
		return
	}
	d.paused = false
	e.runAll(&d.held)
	d.work(e)
}

// setWant is the newest state that the engine is to be brought to. Closing and
// killing do not wait for the job under way.
func (e *engine) setWant(w ha.Want) {
	d := &e.driver
	before := d.want
	d.want = w
	if w.Source != before.Source {
		d.diverged = ha.Session{}
	}
	switch {
	case w.Mode == ha.Down:
		e.fence()
	case w.Mode == ha.Primary && e.process == primary && w.Session != e.session:
		e.fence()
	}
	e.workGate()
	d.work(e)
}

// fence ends the engine for good, before anything else.
func (e *engine) fence() {
	if e.process == dead || e.dying || e.driver.rebuilding {
		return
	}
	if !e.obeys(killsAtOnce) {
		e.stopGracefully()
		return
	}
	e.kill()
}

// stopGracefully is what a fence must not be. It takes its time, and an engine
// of sets lets go of whoever waits.
func (e *engine) stopGracefully() {
	e.dying = true
	life := e.life
	e.w.after(e.w.between(50*ms, time.Second), func() {
		if e.life != life {
			return
		}
		if e.flavour == sets && e.process == primary {
			e.acks.count = 0
			e.release()
		}
		e.die()
	})
}

// begin starts a job, step by step.
func (d *driver) begin() {
	d.busy = true
	d.jobs++
	d.target = d.want.Session
}

// end is the end of a job: there may be another one.
func (d *driver) end(e *engine) {
	d.busy, d.promoting = false, false
	d.jobs++
	e.changed()
	d.work(e)
}

// step does one step of the present job after a while, if the job is still
// wanted then and the agent runs.
func (e *engine) step(after time.Duration, f func()) {
	job := e.driver.jobs
	e.w.after(after, func() { e.driver.do(job, f) })
}

func (d *driver) do(job int, f func()) {
	switch {
	case d.jobs != job:
	case d.paused:
		d.held = append(d.held, func() { d.do(job, f) })
	default:
		f()
	}
}

// await repeats a step until it says that it is done with.
func (e *engine) await(every time.Duration, done func() bool, then func()) {
	if done() {
		then()
		return
	}
	e.step(every, func() { e.await(every, done, then) })
}

// died is told when the process is gone: whatever was being done is over.
func (d *driver) died(e *engine, session ha.Session) {
	if w := &d.want; w.Mode == ha.Primary && (session == w.Session || d.busy && d.target == w.Session) {
		d.spent = w.Session
	}
	d.jobs++
	d.busy, d.starting, d.promoting, d.final = false, false, false, false
	d.source, d.rule, d.binding = ha.Source{}, ha.Rule{}, ""
	d.work(e)
}

// work starts the next job, if there is one and the last one is over.
func (d *driver) work(e *engine) {
	if !d.up || d.paused || d.busy || d.rebuilding || e.dying || e.process == starting {
		return
	}
	w := &d.want
	switch {
	case w.Mode == ha.Down:
		e.fence()
	case e.process == dead && e.vacant():
		e.workVacant()
	case e.process == dead:
		if w.Mode != ha.Primary || w.Session != d.spent || !e.obeys(resumesNoSession) {
			e.boot()
		}
	case e.process == standby && w.Mode == ha.Primary:
		if w.Session != d.spent || !e.obeys(resumesNoSession) {
			e.promote()
		}
	case e.process == standby:
		e.workStandby()
	case w.Mode == ha.Standby:
		e.stepDown()
	case w.Session != e.session:
		e.fence()
	default:
		e.workPrimary()
	}
}

// boot starts the engine as a standby without a source.
func (e *engine) boot() {
	d := &e.driver
	d.begin()
	d.starting = true
	e.await(20*ms, func() bool { return e.w.clock >= e.orphans && !e.disk.hung }, func() {
		e.start(func() { e.step(0, e.booted) })
	})
}

func (e *engine) booted() {
	d := &e.driver
	d.starting = false
	e.recogniseTimeline()
	if e.process == standby {
		d.final = true // nothing has run that could add to the log
		if left := e.parked - e.w.clock; left > 0 {
			life := e.life
			e.w.after(left, func() {
				if e.life == life {
					e.changed()
					d.work(e)
				}
			})
		}
	}
	d.end(e)
}

// recogniseTimeline finds out what a timeline stands for that was begun and
// whose number could not be written down any more.
func (e *engine) recogniseTimeline() {
	d := e.data
	if e.flavour != timelines || d.intent.timeline == 0 {
		return
	}
	l := d.image(e, d.log.length)
	run, _ := l.timeline(l.lastTimeline())
	if mark := l.mark(run); mark != d.intent.timeline {
		if _, known := d.boundTo(mark); !known && !e.w.history.branches[run.branch].errant {
			d.bound = append(d.bound, binding{mark, run.lo, d.intent.session})
		}
	}
	d.intent = binding{}
}

// workVacant makes data where there is none.
func (e *engine) workVacant() {
	w := &e.driver.want
	switch {
	case w.Initialise && e.data == nil:
		e.driver.begin()
		e.driver.starting = true
		e.step(e.w.between(200*ms, time.Second), func() {
			e.driver.starting = false
			e.data = e.initialised()
			e.driver.end(e)
		})
	case w.Mode == ha.Standby && w.Rebuild && w.Source.UID != "":
		e.rebuild()
	}
}

// stuck tells whether the engine lives and yet serves nobody.
func (e *engine) stuck() bool {
	now := e.w.clock
	c := &e.clients
	switch {
	case e.halted && now-e.driver.haltedAt > time.Second:
		return true
	case e.disk.hung && now-e.disk.hungAt > time.Second:
		return true
	case e.process != primary:
		return false
	case e.loginsBlocked() && now-c.blockedAt > time.Second:
		return true
	case c.head < len(c.waiting) && now-c.waiting[c.head].at > 2*time.Second:
		return e.counted() < e.acks.count
	}
	return e.disk.full
}

// counted is how many connections there are that count.
func (e *engine) counted() int {
	n := 0
	for _, c := range e.conns {
		if e.counts(c) {
			n++
		}
	}
	return n
}
