package ha

import "time"

// Purpose says why a rule is changed.
type Purpose string

// The purposes.
const (
	Bump    Purpose = "bump"    // a promise stands above the record's version
	Repair  Purpose = "repair"  // the register has lost the record
	Shrink  Purpose = "shrink"  // a member is lost, behind, diverged or not wanted
	Degrade Purpose = "degrade" // the other one of two is gone
	Alone   Purpose = "alone"   // only the leader holds everything
	Grow    Purpose = "grow"    // a learner has caught up
	Replace Purpose = "replace" // the same, and a member is lost that the rest cannot do without
	Retime  Purpose = "profile" // other timings are wanted
)

// change is one change of the record, from the plan to the register. At most
// one is under way, and it adds and drops at most one member each.
type change struct {
	Purpose Purpose // empty: none
	To      Record
	step    step
	began   time.Duration // of the step
	mark    Log           // end of the log when the new rule was in force
}

// step of a change. What comes before offering can be taken back.
type step int

const (
	asking    step = iota // the register must answer, and hold the present record
	enforcing             // a tighter rule: the engine is told
	proving               // what was acknowledged before is on enough members of the new rule
	offering              // in the register's hands
)

const (
	askLimit   = 1500 * ms
	proveLimit = 2 * time.Second
	changePace = 1500 * ms // between a change given up and the next
)

// changeRule takes the change under way one step on, or plans one.
//
// A weaker rule is recorded before the engine hears of it, a tighter one is in
// force and proven before it is recorded. So at every moment the engine asks
// for at least as much as the register promises.
func (t *turn) changeRule() {
	c := &t.lead.change
	if c.Purpose == "" {
		t.begin()
	}
	switch {
	case c.Purpose == "":
	case t.Seen.Version >= c.To.Version:
		*c = change{}
	case c.step == asking:
		t.ask()
	case c.step == enforcing:
		t.enforce()
	case c.step == proving:
		t.prove()
	default:
		t.settle()
	}
}

func (t *turn) begin() {
	if t.now < t.lead.retry || t.Role == Draining || t.Pending.Version > 0 {
		return
	}
	if purpose, to := t.plan(); purpose != "" {
		t.lead.change = change{Purpose: purpose, To: to, began: t.now}
	}
}

// ask touches nothing before the register has answered that it still holds the
// record that is to be changed.
func (t *turn) ask() {
	c := &t.lead.change
	switch {
	case !t.readSince(c.began):
		t.abandon(askLimit)
	case t.lost() != (c.Purpose == Repair) || t.view.Missing || c.To.Alone(t.UID) && !t.able():
		t.dropChange()
	case c.Purpose == Repair && !t.mayRepair():
		t.abandon(askLimit)
	case c.To.WeakerThan(t.Seen.Rule, t.UID):
		t.offerChange()
	default:
		c.step, c.began = enforcing, t.now
	}
}

// enforce waits until the engine asks for the tighter rule.
func (t *turn) enforce() {
	c := &t.lead.change
	if !t.o.Engine.Rule.Equal(c.To.Rule) || !t.inSession() {
		t.abandon(proveLimit)
		return
	}
	c.step, c.mark = proving, t.o.Engine.Position.Log
	t.prove()
}

// prove waits until all that was acknowledged under the old rule is flushed on
// enough members of the new one, and these answer.
func (t *turn) prove() {
	c := &t.lead.change
	fresh := t.age(t.leaseUnder(c.To.Rule)) <= t.timings().Fence/2
	if !t.flushedUnder(c.To.Rule, c.mark) || !fresh || !t.inSession() {
		t.abandon(proveLimit)
		return
	}
	t.offerChange()
}

func (t *turn) offerChange() {
	c := &t.lead.change
	c.step, c.began = offering, t.now
	t.offer(c.To, t.view.Object)
}

// settle waits for the fate of the record that was offered. Only a read that
// shows its version, or a later one, ends the change. While the old record
// stands, the same one is offered again, and nothing else. If neither stands
// there, it becomes a repair.
func (t *turn) settle() {
	c := &t.lead.change
	switch {
	case t.writing.ID != 0:
	case !t.readSince(max(c.began, t.now-lookPause)) || t.view.Missing:
	case !t.lost() || c.Purpose == Repair:
		t.offerChange()
	case t.mayRepair():
		c.Purpose, c.To = Repair, t.repaired()
		t.offerChange()
	}
}

// abandon gives a change up that has not been offered, after a while.
func (t *turn) abandon(limit time.Duration) {
	if t.age(t.lead.change.began) > limit {
		t.dropChange()
	}
}

func (t *turn) dropChange() {
	t.lead.change = change{}
	t.lead.retry = t.now + changePace
}

// inSession tells whether the engine writes in the session of this leader.
func (t *turn) inSession() bool {
	return t.lead.promoting && t.o.Engine.Mode == Primary && t.o.Engine.Session == t.lead.session && t.o.Engine.Barrier != nil
}

// engineRule is the rule that the engine is to enforce: the recorded one, and
// from the moment that a tighter one is tried, that one.
func (t *turn) engineRule() Rule {
	c := &t.lead.change
	if c.Purpose != "" && c.step >= enforcing && !c.To.WeakerThan(t.Seen.Rule, t.UID) {
		return c.To.Rule
	}
	return t.Seen.Rule
}
