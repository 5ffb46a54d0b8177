package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// scenarios are worlds in which one thing is made to happen, for what seeds
// find too rarely. The seed still decides about latencies and the like. A
// scenario must end without a violation while all rules are kept.
var scenarios = map[string]func(s *scene){
	"a claim lands after those who joined restarted":     claimLandsAfterRestart,
	"a claim lands after those who joined lost patience": claimLandsAfterLongWait,
	"a member answers and loses power":                   answersAndLosesPower,
	"a leader sleeps just before it opens":               sleepsBeforeOpening,
	"a rule grows and the old members cannot know":       growsUnknown,
	"a claim is lost and the register is made anew":      claimOverNewRegister,
	"a learner falls behind while it is being counted":   fallsBehindWhileCounted,
	"a gate opens before its rule is in force":           opensBeforeRule,
	"a member loses its data":                            emptiedVolume,
	"a volume is copied to another member":               copiedVolume,
	"a tail of an earlier term":                          tailOfEarlierTerm,
	"a tail of an earlier session of the term":           tailOfEarlierSession,
	"the only member restarts after its rule grew":       startsAloneWithPending,
	"promises stand above the record":                    promisesStandAbove,
	"answers come late":                                  answersComeLate,
	"a follower restarts beside a candidate":             restartsBesideCandidate,
	"a member of the rule falls behind":                  fallsBehindInRule,
	"a learner follows and a member does not":            learnerFollows,
	"a primary comes back after it was replaced":         comesBackReplaced,
}

// RunScenario runs a scenario under conditions, and to rest after it unless the
// conditions are brief.
func RunScenario(name string, seed uint64, c Conditions, tell func(at time.Duration, line string)) (Result, error) {
	act, known := scenarios[name]
	if !known {
		return Result{}, fmt.Errorf("no scenario is called %q", name)
	}
	p := plan{seed: seed, members: c.Members, profile: ha.Fast, brief: c.Brief}
	if err := c.shape(&p); err != nil {
		return Result{}, err
	}
	w := newWorld(p.seed)
	w.tell = tell
	w.rng = rand.New(rand.NewPCG(seed, 0xf1357aea2e62a9c5))
	w.begin(p)
	s := &scene{world: w}
	s.until("the Database serves", 60*time.Second, func() bool { return w.complete() && w.clock-w.register.changed > 2*time.Second })
	if !w.halted {
		s.first = w.leader()
		act(s)
		w.clients.idle = false
	}
	if !w.halted && !p.brief {
		w.calmDown()
	}
	return w.result(), nil
}

// scene is a world with a director.
type scene struct {
	*world
	first *pod // that led when the scenario began
}

// run lets time pass.
func (s *scene) run(d time.Duration) { s.advance(s.clock + d) }

// waits lets time pass until something is so, and tells whether it came.
func (s *scene) waits(limit time.Duration, so func() bool) bool {
	for end := s.clock + limit; !s.halted && s.clock < end; s.run(ms / 2) {
		if so() {
			return true
		}
	}
	return false
}

// until is the same for what must come.
func (s *scene) until(what string, limit time.Duration, so func() bool) {
	if !s.waits(limit, so) {
		s.violate("scenario: in vain for %v: %s", limit, what)
	}
}

// others are the pods besides some.
func (s *scene) others(than ...*pod) []*pod {
	var others []*pod
next:
	for _, p := range s.pods {
		for _, q := range than {
			if p == q {
				continue next
			}
		}
		if p != nil {
			others = append(others, p)
		}
	}
	return others
}

// whoClaims is the pod whose claim is on its way, nil if there is none.
func (s *scene) whoClaims() *pod {
	return s.whoIs(func(p *pod) bool { return p.state.Role == ha.Claiming })
}

// cut takes the links of two agents away, both ways; uncut gives them back.
func (s *scene) cut(a, b *pod)   { s.agentsCut(a, b, 1) }
func (s *scene) uncut(a, b *pod) { s.agentsCut(a, b, -1) }

func (s *scene) agentsCut(a, b *pod, n int) {
	s.network.agents[a.ordinal][b.ordinal].cuts += n
	s.network.agents[b.ordinal][a.ordinal].cuts += n
}

// cutLog and uncutLog are the same for the links of engines.
func (s *scene) cutLog(a, b *pod)   { s.logCut(a, b, 1) }
func (s *scene) uncutLog(a, b *pod) { s.logCut(a, b, -1) }

func (s *scene) logCut(a, b *pod, n int) {
	s.network.engines[a.ordinal][b.ordinal].cuts += n
	s.network.engines[b.ordinal][a.ordinal].cuts += n
}

// api is a pod's link to the register.
func (s *scene) api(p *pod) *link { return &s.network.api[p.ordinal] }
