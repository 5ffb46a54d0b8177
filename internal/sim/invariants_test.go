package sim

import (
	"strings"
	"testing"

	"github.com/myuser/db-operator/internal/ha"
)

func TestRecordsThatMustNotFollow(t *testing.T) {
	first := ha.First("a1", ha.Fast)
	led := first.Claim("a1")
	tests := map[string]struct {
		records []ha.Record
		broken  string
	}{
		"a claim, then a wider rule":               {[]ha.Record{first, led, led.Next(ha.RuleOf("a1", "b1"))}, ""},
		"the same record written twice":            {[]ha.Record{first, led, led}, ""},
		"one version for two records":              {[]ha.Record{first, led, first.Claim("b1")}, "C: version 2 is used"},
		"an older version":                         {[]ha.Record{first, led, led.Next(led.Rule), {Version: 2, Term: 2, Leader: "a1", Rule: first.Rule}}, "C: version 2"},
		"another leader in the same term":          {[]ha.Record{first, led, {Version: 3, Term: 1, Leader: "b1", Rule: ha.RuleOf("a1", "b1")}}, "C:"},
		"a leader that its own rule does not name": {[]ha.Record{first, led, {Version: 3, Term: 2, Leader: "b1", Rule: first.Rule}}, "C:"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			w, p := bareWorld()
			for _, r := range tt.records {
				w.recorded(p, r)
			}
			if got := w.checks.broken; (got == "") != (tt.broken == "") || !strings.HasPrefix(got, tt.broken) {
				t.Errorf("broken is %q, want %q", got, tt.broken)
			}
		})
	}
}

// twoEngines are engines whose logs share their first entry; the second has one
// of a later session more.
func twoEngines(w *world) (older, newer *engine) {
	older, newer = newEngine(w, 0, timelines), newEngine(w, 1, timelines)
	older.uid, newer.uid = "a1", "b1"
	older.data = older.initialised()
	newer.data = older.data.copy()
	older.session, newer.session = ha.Session{Term: 1, Incarnation: 1}, ha.Session{Term: 2, Incarnation: 1}
	for _, e := range []*engine{older, newer} {
		e.branch = w.history.begin(branch{mark: 2, at: 1, session: e.session})
		e.append(1)
		e.data.flushed = e.data.log.length
	}
	return older, newer
}

func TestAcknowledgedWriteMustBeInEveryLogThatOpens(t *testing.T) {
	w, _ := bareWorld()
	older, newer := twoEngines(w)
	w.gateOpened(older, older.image())
	if w.checks.broken != "" {
		t.Fatalf("the first gate broke %q", w.checks.broken)
	}
	w.gateOpened(newer, newer.image())
	if !strings.HasPrefix(w.checks.broken, "A: b1 opens without") {
		t.Errorf("broken is %q, want A", w.checks.broken)
	}
}

func TestLateAcknowledgementMustBeInTheNewLog(t *testing.T) {
	w, _ := bareWorld()
	older, newer := twoEngines(w)
	w.gateOpened(newer, newer.image())
	w.acknowledged(older, older.branch, 1)
	if !strings.HasPrefix(w.checks.broken, "A: a1 acknowledges") {
		t.Errorf("broken is %q, want A", w.checks.broken)
	}
}

func TestSessionsThatOpenOnlyGrow(t *testing.T) {
	w, _ := bareWorld()
	older, newer := twoEngines(w)
	w.gateOpened(newer, newer.data.image(newer, 1))
	w.gateOpened(older, older.data.image(older, 1))
	if !strings.HasPrefix(w.checks.broken, "C: a1 opens in session (1,1)") {
		t.Errorf("broken is %q, want C", w.checks.broken)
	}
}

func TestShrinkKeepsWhatIsNeeded(t *testing.T) {
	p := planFor(1, 1)
	kept := leaveOutWhile(p, 1, func(q plan) bool {
		for _, f := range q.faults {
			if f.dice == p.faults[1].dice {
				return true
			}
		}
		return false
	})
	if len(kept.faults) != 1 || kept.faults[0].dice != p.faults[1].dice {
		t.Errorf("%d faults are left, want the one that is needed", len(kept.faults))
	}
}
