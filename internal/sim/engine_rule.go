package sim

import (
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// changeRule makes commits wait by another rule, and says when they do; false
// if that could not be proven.
func (e *engine) changeRule(r ha.Rule, then func(done bool)) {
	to := acksOf(r, e.uid)
	if e.flavour == sets {
		e.changeCount(to, then)
		return
	}
	e.changeNames(to, then)
}

// changeNames gives timelines another list of names. Between two lists that is
// immediate; after an empty one it is shown before commits wait by it.
func (e *engine) changeNames(to acks, then func(bool)) {
	e.step(e.w.between(10*ms, 60*ms), func() {
		if e.acks.count > 0 || to.count == 0 || !e.unkind().lateRules {
			e.enforce(to)
			then(true)
			return
		}
		late := e.sometimesLonger(50*ms, 800*ms, 3*time.Second)
		if e.obeys(provesRule) && !e.driver.promoting { // who promotes has always named somebody
			e.step(late, func() {
				e.enforce(to)
				then(true)
			})
			return
		}
		life := e.life
		e.w.after(late, func() {
			if e.life == life {
				e.enforce(to)
			}
		})
		then(true)
	})
}

func (e *engine) enforce(to acks) {
	e.acks.count, e.acks.names = to.count, to.names
	e.release()
}

// changeCount gives sets another rule, which are two things that cannot be
// changed at once: how many must acknowledge, and who may. In this order no
// moment is weaker than both rules.
func (e *engine) changeCount(to acks, then func(bool)) {
	raise := func(next func()) func() {
		return func() {
			e.acks.count = max(e.acks.count, to.count)
			e.step(e.w.between(ms, 10*ms), next)
		}
	}
	cut := func(next func()) func() { return func() { e.cutOff(to, next, then) } }
	letIn := func(next func()) func() {
		return func() {
			e.letIn(to)
			e.step(e.w.between(ms, 300*ms), next)
		}
	}
	lower := func() {
		e.acks.count = to.count
		e.release()
		then(true)
	}
	switch {
	case e.acks.count == 0: // nobody is waited for yet, so let them come first
		letIn(raise(func() { then(true) }))()
	case !e.obeys(raisesFirst):
		letIn(func() { e.awaitNewcomers(cut(raise(lower))) })()
	case !e.obeys(lowersLast):
		e.acks.count = to.count
		e.release()
		e.step(e.w.between(ms, 300*ms), cut(letIn(lower)))
	default:
		raise(cut(letIn(lower)))()
	}
}

// letIn lets members acknowledge: those who are connected begin to when their
// agents have heard of it.
func (e *engine) letIn(to acks) {
	e.acks.names = to.names
	for _, c := range e.conns {
		if !c.counted && e.acks.lets(c.uid) {
			c.to.learnSemi(e)
		}
	}
}

// awaitNewcomers waits a moment until all who were let in acknowledge.
func (e *engine) awaitNewcomers(then func()) {
	deadline := e.w.clock + 2*time.Second
	e.await(20*ms, func() bool {
		acknowledging := 0
		for _, c := range e.conns {
			if e.counts(c) && c.acked > 0 {
				acknowledging++
			}
		}
		return acknowledging >= len(e.acks.names) || e.w.clock > deadline
	}, func() { e.step(100*ms, then) })
}

// refusesAccount tells whether a member's account is locked: it would
// acknowledge, and is not to.
func (e *engine) refusesAccount(follower *engine) bool {
	return e.obeys(locksOut) && follower.receiver.semi && !e.acks.lets(follower.uid)
}

// cutOff ends the connections that acknowledge and shall not, and waits until
// they are gone. One that was told to end may acknowledge for a while.
func (e *engine) cutOff(to acks, next func(), then func(bool)) {
	e.acks.names = slices.DeleteFunc(slices.Clone(e.acks.names), func(m string) bool { return !slices.Contains(to.names, m) })
	for _, c := range e.conns {
		if c.counted && !e.acks.lets(c.uid) && !c.killed {
			c.killed = true
			linger := e.w.between(2*ms, 20*ms)
			if e.unkind().lingering {
				linger = e.sometimesLonger(2*ms, time.Second, 3*time.Second)
			}
			e.w.after(linger, c.close)
		}
	}
	if !e.obeys(awaitsCutOff) {
		next()
		return
	}
	deadline := e.w.clock + 2*time.Second
	e.await(10*ms, func() bool { return e.w.clock > deadline || !e.outsiderCounts() }, func() {
		if e.outsiderCounts() {
			then(false) // and the higher count stays
			return
		}
		next()
	})
}

// outsiderCounts tells whether somebody acknowledges who is not let in.
func (e *engine) outsiderCounts() bool {
	for _, c := range e.conns {
		if c.counted && !e.acks.lets(c.uid) {
			return true
		}
	}
	return false
}
