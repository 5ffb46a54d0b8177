package sim

import (
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// harm is what happens, by chance, when a driver does not keep to a rule.
type harm struct {
	flavours []flavour
	members  int
	happens  func(l *lab) bool
}

var (
	both        = []flavour{timelines, sets}
	onTimelines = []flavour{timelines}
	onSets      = []flavour{sets}
)

// TestEngineRules shows of each rule that it is kept for a reason.
func TestEngineRules(t *testing.T) {
	for rule := range engineRules {
		t.Run(rule.String(), func(t *testing.T) {
			h := harms[rule]
			if h.happens == nil {
				t.Fatal("nothing shows what this rule is for")
			}
			for _, f := range h.flavours {
				if n := harmed(h, f, unkindEngines()); n > 0 {
					t.Errorf("%v: harmed %d times of %d while the rule is obeyed: %s", f, n, labSeeds, engineRuleNames[rule].asks)
				}
				if harmed(h, f, unkindEngines().without(rule)) == 0 {
					t.Errorf("%v: never harmed in %d runs without the rule: %s", f, labSeeds, engineRuleNames[rule].asks)
				}
			}
		})
	}
}

const labSeeds = 20

func harmed(h harm, f flavour, o engineOptions) int {
	n := 0
	for seed := range uint64(labSeeds) {
		if h.happens(serving(seed, h.members, f, o)) {
			n++
		}
	}
	return n
}

var (
	second  = ha.Session{Term: 2, Incarnation: 1}
	third   = ha.Session{Term: 3, Incarnation: 1}
	fourth  = ha.Session{Term: 4, Incarnation: 1}
	restart = ha.Session{Term: 1, Incarnation: 2}
)

// harms are the shortest ways into trouble that we know.
var harms = [engineRules]harm{
	bootsAsStandby: {both, 1, func(l *lab) bool {
		a := l.engines[0]
		a.kill()
		l.watch(time.Second, func() bool { return a.process == dead })
		l.freeze(a)
		return l.watch(3*time.Second, a.gateOpen)
	}},
	resumesNoSession: {both, 1, func(l *lab) bool {
		a := l.engines[0]
		a.kill()
		l.watch(time.Second, func() bool { return a.process == dead })
		return l.watch(5*time.Second, func() bool { return a.process == primary })
	}},
	killsAtOnce: {onSets, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.cut(a, b, 1)
		heard := l.write(a)
		l.run(100 * ms)
		a.setWant(ha.Want{Mode: ha.Down})
		l.run(3 * time.Second)
		return *heard == outcomeOk
	}},
	killsEveryProcess: {onTimelines, 1, func(l *lab) bool {
		a := l.engines[0]
		a.setWant(ha.Want{Mode: ha.Down})
		return l.watch(3*time.Second, func() bool { return a.observe().Mode == ha.Down && a.gateOpen() })
	}},
	endsReceiver: {both, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.frozen(b)
		told := b.observe().Position
		l.write(a)
		return l.watch(4*time.Second, func() bool { return b.image().Compare(told.Log) == ha.Ahead })
	}},
	waitsForEndOfLog: {onTimelines, 2, func(l *lab) bool {
		b := l.engines[1]
		l.crash(b)
		o := b.observe()
		return o.Position.Known() && o.Position.Log.Compare(b.image()) != ha.Equal
	}},
	provesGate: {both, 1, func(l *lab) bool {
		a := l.engines[0]
		a.connectClient()
		w := a.driver.want
		w.Gate = ha.GateClosed
		a.setWant(w)
		return l.watch(2*time.Second, func() bool { return a.observe().Gate == ha.GateClosed && a.gateOpen() })
	}},
	closesBeforePromoting: {both, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		b.setWant(ha.Want{Mode: ha.Standby, Gate: ha.GateReadOnly})
		l.watch(3*time.Second, func() bool { return b.observe().Frozen && b.observe().Gate == ha.GateReadOnly })
		s := b.connectClient()
		b.setWant(ha.Want{Mode: ha.Primary, Session: second, Rule: ruleFor(2, a, b), Until: ha.Forever})
		return l.watch(5*time.Second, func() bool { return b.process == primary && s.alive() })
	}},
	flushesBeforeAck: {both, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		heard := l.write(a)
		l.watch(time.Second, func() bool { return *heard == outcomeOk })
		b.powerLoss(true)
		return *heard == outcomeOk && !b.contains(l.writes)
	}},
	killsWorkers: {onSets, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.frozen(b)
		b.data.torn = true
		l.promote(b, second, ruleFor(2, a, b))
		l.run(5 * time.Second)
		return b.process != primary
	}},
	endsBlockers: {onTimelines, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		b.stallReplay(30 * time.Second)
		l.frozen(b)
		l.promote(b, second, ruleFor(2, a, b))
		l.run(5 * time.Second)
		return b.process != primary
	}},
	beats: {onSets, 2, func(l *lab) bool {
		a, b := l.engines[0], l.engines[1]
		l.w.network.engines[b.ordinal][a.ordinal].cuts = 1
		heard := l.write(a)
		l.run(8 * time.Second)
		l.w.network.engines[b.ordinal][a.ordinal].cuts = 0
		l.run(5 * time.Second)
		return *heard != outcomeOk
	}},
}
