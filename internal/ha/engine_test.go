package ha_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

func TestWhatNeverWaitsForTheDisk(t *testing.T) {
	a, b := ha.Source{UID: "a", Session: ha.Session{Term: 1, Incarnation: 1}}, ha.Source{UID: "b", Session: ha.Session{Term: 2, Incarnation: 1}}
	rule := ha.RuleOf("a", "b")
	primary := ha.Want{Mode: ha.Primary, Session: a.Session, Rule: rule, Gate: ha.GateOpen, Until: 5 * time.Second}
	for name, c := range map[string]struct{ before, wanted, now ha.Want }{
		"a kill": {
			before: primary, wanted: ha.Want{Mode: ha.Down}, now: ha.Want{Mode: ha.Down},
		},
		"a gate that shuts": {
			before: primary,
			wanted: ha.Want{Mode: ha.Primary, Session: a.Session, Rule: rule, Gate: ha.GateClosed, Until: 9 * time.Second},
			now:    ha.Want{Mode: ha.Primary, Session: a.Session, Rule: rule, Gate: ha.GateClosed, Until: 5 * time.Second},
		},
		"a freeze": {
			before: ha.Want{Mode: ha.Standby, Source: a}, wanted: ha.Want{Mode: ha.Standby}, now: ha.Want{Mode: ha.Standby},
		},
		"but another source waits, behind a freeze": {
			before: ha.Want{Mode: ha.Standby, Source: a, Rebuild: true},
			wanted: ha.Want{Mode: ha.Standby, Source: b, Rebuild: true},
			now:    ha.Want{Mode: ha.Standby},
		},
		"but a promotion waits": {
			before: ha.Want{Mode: ha.Standby}, wanted: primary, now: ha.Want{Mode: ha.Standby},
		},
		"but an opening waits": {
			before: ha.Want{Mode: ha.Primary, Session: a.Session, Rule: rule, Until: ha.Forever},
			wanted: primary,
			now:    ha.Want{Mode: ha.Primary, Session: a.Session, Rule: rule, Until: 5 * time.Second},
		},
		"but a step down waits, behind a closed gate": {
			before: primary, wanted: ha.Want{Mode: ha.Standby},
			now: ha.Want{Mode: ha.Primary, Session: a.Session, Rule: rule, Gate: ha.GateClosed, Until: 5 * time.Second},
		},
		"a start has nothing to wait for but its own wish": {
			before: ha.Want{Mode: ha.Down}, wanted: ha.Want{Mode: ha.Standby}, now: ha.Want{Mode: ha.Down},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.now, c.wanted.Meanwhile(c.before)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
