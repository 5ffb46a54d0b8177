package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// acknowledged writes for a while and tells whether any of it succeeded.
func (l *lab) acknowledged(e *engine, d time.Duration) bool {
	succeeded := false
	for until := l.w.clock + d; l.w.clock < until && !succeeded; {
		l.writes++
		e.write(l.writes, func(o outcome) { succeeded = succeeded || o == outcomeOk })
		l.run(20 * ms)
	}
	return succeeded
}

func init() {
	harms[provesRule] = harm{onTimelines, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.retell(a, ruleFor(1, a))
		l.run(time.Second)
		l.retell(a, ruleFor(2, a, b))
		l.cut(a, b, 1)
		return l.acknowledged(a, time.Second)
	}}
	harms[namesNeverEmpty] = harm{onTimelines, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.crash(a)
		l.isolate(a, 1)
		l.lead(a, restart, ruleFor(2, a, b))
		return l.acknowledged(a, time.Second)
	}}
	harms[ruleBeforeWrite] = harm{onSets, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.crash(a)
		a.setWant(ha.Want{Mode: ha.Primary, Session: restart, Rule: ruleFor(2, a, b), Until: ha.Forever})
		return l.watch(5*time.Second, func() bool { return a.process == primary && a.acks.count == 0 })
	}}
	harms[slotPerMember] = harm{both, 4, func(l *lab) bool {
		a, b, c, d := l.engines[0], l.engines[1], l.engines[2], l.engines[3]
		l.retell(a, ruleFor(3, a, b, c))
		l.run(2 * time.Second)
		l.isolate(c, 1)
		l.frozen(d)
		d.uid = b.uid // the volume of b, running twice
		l.follow(d, a, false)
		l.run(3 * time.Second)
		return l.acknowledged(a, 2*time.Second)
	}}
	harms[raisesFirst] = harm{onSets, 4, func(l *lab) bool {
		a, b, c, d := l.engines[0], l.engines[1], l.engines[2], l.engines[3]
		l.retell(a, ruleFor(2, a, b, c))
		l.run(2 * time.Second)
		l.cut(a, b, 1)
		l.cut(a, c, 1)
		w := a.driver.want
		w.Rule = ruleFor(3, a, b, c, d)
		a.setWant(w)
		return l.acknowledged(a, 3*time.Second)
	}}
	harms[lowersLast] = harm{onSets, 4, dropsTheOnlyOneThere}
	harms[awaitsCutOff] = harm{onSets, 4, dropsTheOnlyOneThere}
	harms[locksOut] = harm{onSets, 3, func(l *lab) bool {
		a, b, c := l.engines[0], l.engines[1], l.engines[2]
		c.agentPaused()
		l.retell(a, ruleFor(2, a, b))
		l.cut(a, b, 1)
		return l.acknowledged(a, 3*time.Second)
	}}
}

// dropsTheOnlyOneThere takes out of the rule the one member that the leader
// still reaches: nothing may succeed by its acknowledgement alone.
func dropsTheOnlyOneThere(l *lab) bool {
	a, b, c := l.engines[0], l.engines[1], l.engines[2]
	l.cut(a, b, 1)
	l.cut(a, c, 1)
	w := a.driver.want
	w.Rule = ruleFor(2, a, b, c)
	a.setWant(w)
	return l.acknowledged(a, 3*time.Second)
}
