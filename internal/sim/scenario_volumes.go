package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// acknowledgedWithout lets clients write while some members get no log.
func (s *scene) acknowledgedWithout(behind ...*pod) {
	for _, o := range behind {
		s.cutLog(s.first, o)
	}
	s.run(300 * ms)
	before := s.clients.answered
	s.waits(2*time.Second, func() bool { return s.clients.answered > before+3 })
}

// emptiedVolume: a member that has acknowledged loses its data, and then the
// primary is gone for a while.
func emptiedVolume(s *scene) {
	a := s.first
	b, c := s.others(a)[0], s.others(a)[1]
	s.acknowledgedWithout(b)
	s.faultWipe(&fault{dice: 1 << 8, lasts: 50 * ms}, c)
	s.waits(1500*ms, func() bool { return c.engine.process == standby })
	a.die()
	a.restart(8 * time.Second)
	s.run(8 * time.Second)
}

// copiedVolume: in the place of a member that has acknowledged, a copy of one
// that has not turns up; the others that have are away for a while.
func copiedVolume(s *scene) {
	a := s.first
	others := s.others(a)
	b, c, d, e := others[0], others[1], others[2], others[3]
	s.acknowledgedWithout(b, c)
	s.cut(b, d)
	s.cut(a, d)
	s.cutLog(a, d)
	s.faultCopy(&fault{dice: uint64(b.ordinal) << 8}, d)
	place := d.ordinal
	s.waits(3*time.Second, func() bool { p := s.pods[place]; return p != nil && p != d && p.engine.process == standby })
	for _, gone := range []*pod{a, e} {
		gone.die()
		gone.restart(8 * time.Second)
	}
	s.run(8 * time.Second)
}

// tailOfEarlierSession: a member has a long tail of a session that its primary
// lost and began anew with another member. Then the primary is gone for good.
func tailOfEarlierSession(s *scene) {
	a := s.first
	b, c := s.others(a)[0], s.others(a)[1]
	s.cutLog(a, b)
	s.run(200 * ms)
	a.engine.slowDisk(400 * ms)
	s.run(600 * ms)
	s.cut(a, b)
	s.cut(a, c)
	s.api(a).cuts++ // or it would release
	s.until("the primary kills its engine", 3*time.Second, func() bool { return a.state.Role == ha.Opening && !a.engine.gateOpen() })
	a.engine.slowDisk(0)
	s.cutLog(a, c)
	s.uncutLog(a, b)
	s.uncut(a, b)
	before := s.clients.answered
	if !s.waits(2*time.Second, func() bool { return s.clients.answered > before+3 }) || s.register.record.Acks < 2 {
		return
	}
	s.lose(a)
	s.leads(b)
}

// tailOfEarlierTerm: the primary of an earlier term comes back with a long tail
// of its own, and the one that replaced it is gone for good.
func tailOfEarlierTerm(s *scene) {
	a := s.first
	others := s.others(a)
	for _, o := range others {
		s.cutLog(a, o)
	}
	s.run(500 * ms) // it writes what nobody gets
	for _, o := range others {
		s.cut(a, o)
	}
	s.until("another one serves", 10*time.Second, func() bool {
		return s.whoIs(func(p *pod) bool { return p != a && p.engine.gateOpen() }) != nil
	})
	before := s.clients.answered
	s.until("clients write", 2*time.Second, func() bool { return s.clients.answered > before+3 })
	if s.halted {
		return
	}
	for _, o := range others {
		s.uncutLog(a, o)
		s.uncut(a, o)
	}
	next := s.leader()
	s.lose(next)
	s.leads(s.others(a, next)[0])
}

// leads waits until a gate is open, which is possible since one member holds
// everything.
func (s *scene) leads(holder *pod) {
	if !s.waits(15*time.Second, func() bool { return s.whoIs(func(p *pod) bool { return p.engine.gateOpen() }) != nil }) {
		s.violate("D: nobody leads, although %s holds everything", holder.state.UID)
	}
}

// lose takes a pod and its volume away for good.
func (s *scene) lose(p *pod) {
	p.die()
	p.gone = true
	p.engine.wipe()
	s.pods[p.ordinal], s.volumes[p.ordinal] = nil, nil
}
