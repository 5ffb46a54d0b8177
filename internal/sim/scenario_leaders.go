package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// failsOver kills the primary a for a while and waits until another one is on
// its way to an open gate.
func (s *scene) failsOver(a *pod, so func(p *pod) bool) (next *pod) {
	a.die()
	a.restart(500 * ms)
	s.until("another one is about to open", 15*time.Second, func() bool {
		next = s.whoIs(func(p *pod) bool { return p != a && so(p) })
		return next != nil
	})
	return next
}

// sleepsBeforeOpening: an agent sleeps when all that it needs to open is on its
// way to it, and wakes when another one leads.
func sleepsBeforeOpening(s *scene) {
	p := s.failsOver(s.first, func(p *pod) bool {
		return p.state.Role == ha.Opening && p.state.Why == ha.WaitingForAcknowledger
	})
	if s.halted {
		return
	}
	for _, o := range s.others(p) {
		s.network.agents[o.ordinal][p.ordinal].extra = 150 * ms // answers are under way for long
	}
	s.waits(3*time.Second, func() bool {
		for _, o := range s.others(p) {
			if e := o.engine.observe(); e.Mode == ha.Standby && e.Position.Session == p.engine.session {
				return true
			}
		}
		return false
	})
	s.run(s.between(20*ms, 140*ms))
	if s.halted || p.state.Role != ha.Opening {
		return
	}
	p.stop(pauseAgent)
	s.run(200 * ms)
	for _, o := range s.others(p) {
		s.cut(p, o)
	}
	s.api(p).cuts++
	s.waits(8*time.Second, func() bool {
		return s.whoIs(func(o *pod) bool { return o != p && o.engine.gateOpen() }) != nil
	})
	p.resume(pauseAgent)
	s.run(2 * time.Second)
}

// opensBeforeRule: a gate is open and nobody waits for acknowledgements yet. At
// that moment the log gets out no more.
func opensBeforeRule(s *scene) {
	var p *pod
	s.first.die()
	s.first.restart(500 * ms)
	if !s.waits(15*time.Second, func() bool {
		p = s.whoIs(func(p *pod) bool { return p != s.first && p.engine.gateOpen() && p.engine.acks.count == 0 })
		return p != nil
	}) {
		return
	}
	for _, o := range s.others(p) {
		s.cutLog(p, o)
	}
	before := s.clients.answered
	s.waits(time.Second, func() bool { return s.clients.answered > before })
	p.die()
	p.restart(6 * time.Second)
	s.run(6 * time.Second)
}

// comesBackReplaced: a primary is dead for so long that another is chosen, and
// comes back where nobody can tell it.
func comesBackReplaced(s *scene) {
	a := s.first
	a.die()
	s.until("another one serves", 15*time.Second, func() bool {
		return s.whoIs(func(p *pod) bool { return p != a && p.engine.gateOpen() }) != nil
	})
	for _, o := range s.others(a) {
		s.cut(a, o)
	}
	a.restart(50 * ms)
	s.until("it knows its claim", 5*time.Second, func() bool { return a.up && a.claim != "" })
	s.api(a).cuts++
	s.run(6 * time.Second)
}

// growsUnknown: the record of a rule with one member more lands, and its leader
// does not hear of that. Then it is cut off from those who do.
func growsUnknown(s *scene) {
	a := s.first
	b := s.others(a)[0]
	s.operator.members++
	s.register.forgets++
	s.publish()
	s.until("the rule grows", 60*time.Second, func() bool { return len(s.register.record.Members) > s.plan.members })
	s.register.forgets--
	if s.halted {
		return
	}
	s.api(a).cuts++
	if a.state.Seen.Version == s.register.record.Version {
		return // it heard of it
	}
	s.clients.idle = true // or the engine would be found stuck
	for _, o := range s.others(a, b) {
		s.cut(a, o)
		s.cut(b, o)
		s.cutLog(a, o)
	}
	s.api(b).cuts++
	s.run(10 * time.Second)
}

// fallsBehindWhileCounted: a learner has acknowledged under a rule whose record
// has landed, which its leader does not know. Then the leader can no longer
// feed it, and is lost.
func fallsBehindWhileCounted(s *scene) {
	a := s.first
	b := s.others(a)[0]
	s.operator.members++
	s.publish()
	s.until("the rule is about to grow", 60*time.Second, func() bool { return a.state.Pending.Version > 0 })
	s.register.forgets++
	s.until("the rule grows", 10*time.Second, func() bool { return len(s.register.record.Members) > s.plan.members })
	s.register.forgets--
	s.api(a).cuts++
	if s.halted || a.state.Seen.Version == s.register.record.Version {
		return
	}
	c := s.others(a, b)[0]
	s.cutLog(a, b)
	before := s.clients.answered
	s.waits(time.Second, func() bool { return s.clients.answered > before+3 })
	s.cannotFeed(a, c)
	s.lose(a)
	s.api(a).cuts--
	s.run(time.Second)
}

// startsAloneWithPending: the only member has tried a rule with a second one,
// which landed without its knowledge; it restarts where it cannot know.
func startsAloneWithPending(s *scene) {
	a := s.first
	s.operator.members++
	s.publish()
	s.until("the rule is about to grow", 60*time.Second, func() bool { return a.state.Pending.Version > 0 })
	s.register.forgets++
	s.until("the rule grows", 10*time.Second, func() bool { return len(s.register.record.Members) > s.plan.members })
	s.register.forgets--
	if s.halted || a.state.Seen.Version == s.register.record.Version {
		return
	}
	s.api(a).cuts++
	b := s.others(a)[0]
	s.cut(a, b)
	s.cutLog(a, b)
	a.die()
	a.restart(50 * ms)
	s.run(12 * time.Second)
}

// answersComeLate: the last answers that a primary gets are long on their way.
func answersComeLate(s *scene) {
	a := s.first
	for _, o := range s.others(a) {
		s.network.agents[o.ordinal][a.ordinal].extra = 600 * ms
	}
	s.run(300 * ms)
	for _, o := range s.others(a) {
		s.network.agents[a.ordinal][o.ordinal].cuts++
	}
	s.run(4 * time.Second)
}

// restartsBesideCandidate: one follower cannot hear the primary and asks the
// other one, which can; and then that one restarts.
func restartsBesideCandidate(s *scene) {
	a := s.first
	b, c := s.others(a)[0], s.others(a)[1]
	s.cut(a, c)
	s.run(3 * time.Second)
	b.die()
	b.restart(10 * ms)
	s.run(3 * time.Second)
}

// fallsBehindInRule: a member of the rule holds what another one lacks. Then the
// primary can no longer feed it, and is lost.
func fallsBehindInRule(s *scene) {
	a := s.first
	b, c := s.others(a)[0], s.others(a)[1]
	s.acknowledgedWithout(b)
	s.api(a).cuts++ // or it would release
	s.cannotFeed(a, c)
	s.lose(a)
	s.api(a).cuts--
	s.run(time.Second)
}

// cannotFeed lets a primary have no more what a follower lacks, and waits for
// what that does to the follower.
func (s *scene) cannotFeed(a, follower *pod) {
	s.cutLog(a, follower)
	s.run(6 * time.Second)
	a.engine.recycle()
	s.uncutLog(a, follower)
	s.waits(4*time.Second, func() bool { return follower.engine.observe().Mode == ha.Rebuilding })
}

// learnerFollows: a primary that cannot reach the register is followed by a
// learner, and no longer by the member of its rule. Then it is gone.
func learnerFollows(s *scene) {
	a := s.first
	b := s.others(a)[0]
	s.operator.members++
	s.publish()
	s.until("a learner follows", 60*time.Second, func() bool {
		learners := s.others(a, b)
		return len(learners) > 0 && learners[0].engine.observe().Source.UID == a.state.UID
	})
	s.api(a).cuts++ // it can count nobody
	s.acknowledgedWithout(b)
	a.die()
	a.restart(8 * time.Second)
	s.run(8 * time.Second)
}
