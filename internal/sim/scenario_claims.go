package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// unansweredClaim isolates the primary a, until another member claims; that
// claim does not get through. It returns the candidate and who joined it.
func (s *scene) unansweredClaim(a *pod) (candidate, joined *pod) {
	for _, o := range s.others(a) {
		s.cut(a, o)
	}
	s.api(a).cuts++
	s.until("somebody claims", 10*time.Second, func() bool { return s.whoClaims() != nil })
	if s.halted {
		return nil, nil
	}
	candidate = s.whoClaims()
	joined = s.others(a, candidate)[0]
	s.api(candidate).cuts++
	s.api(joined).cuts++
	return candidate, joined
}

// secondChance lets the primary a reach the member that joined, and nobody else
// the other; when clients have written again, the claim goes through.
func (s *scene) secondChance(a, candidate, joined *pod) {
	s.cut(candidate, joined)
	s.uncut(a, joined)
	before := s.clients.answered
	s.waits(6*time.Second, func() bool { return s.clients.answered > before+3 })
	s.cut(a, joined)
	s.cutLog(a, joined)
	s.api(candidate).cuts--
	s.uncut(candidate, joined)
	s.run(8 * time.Second)
}

// claimLandsAfterRestart: the candidate's recruit forgets its promise over a
// restart, helps the old primary again, and then the claim lands.
func claimLandsAfterRestart(s *scene) {
	a := s.first
	candidate, joined := s.unansweredClaim(a)
	if s.halted {
		return
	}
	s.api(joined).cuts-- // it reads its claim
	joined.die()
	joined.restart(50 * ms)
	s.secondChance(a, candidate, joined)
}

// claimLandsAfterLongWait: nobody leads those who joined for long. The old
// primary, whose machine stood still, goes on and finds them; then the claim
// lands.
func claimLandsAfterLongWait(s *scene) {
	a := s.first
	a.stop(pauseStop)
	candidate, joined := s.unansweredClaim(a)
	if s.halted {
		return
	}
	s.cutLog(a, candidate)
	s.run(1800 * ms)
	before := s.clients.answered
	a.resume(pauseStop)
	s.waits(2*time.Second, func() bool { return s.clients.answered > before })
	s.cutLog(a, joined)
	s.api(candidate).cuts--
	s.run(8 * time.Second)
}

// answersAndLosesPower: a member that joins loses power before its promise is
// on the disk.
func answersAndLosesPower(s *scene) {
	a := s.first
	others := s.others(a)
	for _, o := range others {
		s.cut(a, o)
		o.volume.hung++
	}
	s.api(a).cuts++
	s.run(1500 * ms)
	others[0].volume.hung-- // one can promise, the other cannot
	claims := s.waits(3*time.Second, func() bool { return s.whoClaims() != nil })
	others[1].volume.hung--
	others[1].die()
	others[1].restart(50 * ms)
	if !claims || s.whoClaims() != others[0] {
		return
	}
	s.api(others[0]).cuts++
	s.secondChance(a, others[0], others[1])
}

// claimOverNewRegister: of two members each goes its own way; the candidate's
// claim is lost, the leader's change lands, and then the register is lost.
func claimOverNewRegister(s *scene) {
	a := s.first
	b := s.others(a)[0]
	s.api(a).cuts++
	candidate := s.claimAlone(a, b)
	if candidate == nil {
		return
	}
	s.api(a).cuts--
	s.until("the leader goes on alone", 10*time.Second, func() bool { return s.register.record.Alone(a.state.UID) && a.engine.gateOpen() })
	if s.halted {
		return
	}
	s.deleteRegister()
	s.until("the register is made anew", 5*time.Second, func() bool { return s.register.exists })
	s.api(b).cuts--
	s.run(3 * time.Second)
}

// claimAlone lets one of two claim in vain.
func (s *scene) claimAlone(a, b *pod) *pod {
	s.cut(a, b)
	s.until("the other one claims", 10*time.Second, func() bool { return b.state.Role == ha.Claiming })
	s.api(b).cuts++
	if s.halted {
		return nil
	}
	return b
}

// promisesStandAbove: two members have promised to follow nobody below a version
// that nobody can write but the leader that they left.
func promisesStandAbove(s *scene) {
	a := s.first
	candidate, joined := s.unansweredClaim(a)
	if s.halted {
		return
	}
	s.uncut(a, candidate)
	s.uncut(a, joined)
	s.api(a).cuts--
	s.leads(a)
}
