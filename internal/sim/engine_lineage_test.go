package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// usurped is a lab of three in which the first engine began a session that
// reached nobody, and the second leads the third in another one, from the same
// entry on. Of timelines both have the same number, or one so much higher.
func usurped(l *lab, numbers int32) (a, b, c *engine) {
	a, b, c = l.engines[0], l.engines[1], l.engines[2]
	all := ruleFor(2, a, b, c)
	a.setWant(ha.Want{Mode: ha.Down})
	l.watch(time.Second, func() bool { return a.process == dead })
	l.frozen(b)
	l.frozen(c)
	l.frozen(a)
	l.isolate(a, 1)
	l.promote(a, second, all)
	l.crash(a)
	b.data.newest += numbers
	l.promote(b, third, all)
	l.follow(c, b, false)
	l.run(2 * time.Second)
	l.open(b)
	for range 5 {
		l.write(b)
		l.run(50 * ms)
	}
	l.isolate(a, 0)
	return a, b, c
}

// fooled tells whether an engine follows with a log that lacks what clients
// rely on.
func (l *lab) fooled(e *engine) bool {
	return l.watch(8*time.Second, func() bool {
		if e.receiver.conn == nil || e.receiver.conn.cursor == 0 || e.receiver.conn.cursor < e.receiver.conn.from.data.flushed {
			return false
		}
		_, lost := l.w.history.lost(e.image())
		return lost
	})
}

func init() {
	harms[bindsSessions] = harm{onTimelines, 3, func(l *lab) bool {
		a, b, _ := usurped(l, 0)
		l.follow(a, b, false)
		return l.fooled(a)
	}}
	harms[clonesSameTimeline] = harm{onTimelines, 3, func(l *lab) bool {
		a, b, _ := usurped(l, 0)
		l.follow(a, b, true)
		return l.fooled(a)
	}}
	harms[bindsBeforePromoting] = harm{onTimelines, 1, func(l *lab) bool {
		a := l.engines[0]
		l.crash(a)
		a.setWant(ha.Want{Mode: ha.Primary, Session: restart, Rule: ruleFor(1, a), Until: ha.Forever})
		l.watch(5*time.Second, func() bool { return a.process == primary })
		a.data.flushed = a.data.log.length
		a.powerLoss(false)
		l.freeze(a)
		l.run(5 * time.Second)
		return !a.observe().Position.Known()
	}}
	harms[pinsSession] = harm{both, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		b.agentPaused()
		l.crash(a)
		l.promote(a, restart, ruleFor(2, a, b))
		return l.watch(3*time.Second, func() bool {
			c := b.receiver.conn
			return c != nil && c.from.session != b.driver.source.Session
		})
	}}
	harms[checksLineage] = harm{onSets, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.frozen(b)
		b.errantWriteUnder()
		l.follow(b, a, false)
		return l.watch(3*time.Second, func() bool { return b.receiver.conn != nil })
	}}
	harms[tellsUnfed] = harm{both, 3, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.frozen(b)
		l.write(a)
		l.run(time.Second)
		a.recycle()
		l.follow(b, a, false)
		l.run(4 * time.Second)
		return b.observe().Diverged != a.session
	}}
	harms[comparesWholeEntries] = harm{onTimelines, 3, func(l *lab) bool {
		a, b, c := l.engines[0], l.engines[1], l.engines[2]
		a.setWant(ha.Want{Mode: ha.Down})
		l.watch(time.Second, func() bool { return a.process == dead })
		l.frozen(b)
		l.frozen(c)
		c.data.torn = true
		l.promote(b, second, ruleFor(2, a, b, c))
		l.follow(c, b, false)
		l.run(3 * time.Second)
		return c.observe().Diverged == second
	}}
	harms[keepsMinimum] = harm{onTimelines, 3, func(l *lab) bool {
		a, b, _ := usurped(l, 3)
		l.follow(a, b, true)
		return l.watch(8*time.Second, func() bool {
			p := a.observe().Position
			return p.Known() && a.data.minimum > p.Log.(*image).length
		})
	}}
	harms[keepsSentinel] = harm{both, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		b.data.errant = true
		l.follow(b, a, true)
		l.watch(5*time.Second, func() bool { return b.driver.rebuilding })
		b.kill()
		l.freeze(b)
		l.run(3 * time.Second)
		if b.observe().Mode == ha.Vacant {
			return false
		}
		_, lost := l.w.history.lost(b.image())
		return lost
	}}
	harms[subtractsErrant] = harm{onSets, 3, func(l *lab) bool {
		a, b, c := l.engines[0], l.engines[1], l.engines[2]
		l.frozen(b)
		b.errantWriteHere()
		l.write(a)
		l.run(time.Second)
		l.frozen(c)
		return b.observe().Position.Compare(c.observe().Position) == ha.Diverged
	}}
	harms[appliesBeforeChange] = harm{onSets, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		b.stallReplay(20 * time.Second)
		heard := l.write(a)
		l.watch(time.Second, func() bool { return *heard == outcomeOk })
		l.crash(a)
		l.promote(a, restart, ruleFor(2, a, b))
		l.follow(b, a, false)
		return l.watch(5*time.Second, func() bool { return !b.contains(l.writes) })
	}}
	harms[takesNewServer] = harm{onSets, 4, func(l *lab) bool {
		a, b, c, d := l.engines[0], l.engines[1], l.engines[2], l.engines[3]
		all := ruleFor(2, a, b, c)
		l.isolate(a, 1)
		l.cut(a, d, 0)
		for range 3 {
			l.write(a) // reaches d, and nobody hears of success
		}
		l.run(time.Second)
		l.frozen(d)
		l.crash(a)
		l.isolate(a, 0)
		l.frozen(b)
		l.frozen(c)
		l.promote(b, second, all)
		l.follow(a, b, true)
		l.follow(c, b, false)
		l.run(10 * time.Second)
		l.frozen(a)
		l.frozen(c)
		l.lead(a, fourth, all)
		l.follow(c, a, false)
		for range 5 {
			l.write(a)
			l.run(100 * ms)
		}
		l.run(2 * time.Second)
		l.follow(d, a, false)
		return l.fooled(d)
	}}
}
