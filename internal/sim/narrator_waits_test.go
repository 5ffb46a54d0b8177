package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// wait is what a member has been waiting for, and since when. It is told when
// it has lasted, once until the member is well again.
type wait struct {
	why   ha.Reason
	role  ha.Role
	since time.Duration
	told  [len(waits)]bool
}

// lasts is how long a reason must stand to be worth a line.
const lasts = 500 * ms

// waits are the reasons in the words of a story.
var waits = [...]struct {
	why  ha.Reason
	says string
}{
	{ha.CheckingVolume, "says nothing: it does not know yet which volume claim it runs on"},
	{ha.WaitingForRegister, "waits: the API server does not answer, and without a read of the register nobody may lead"},
	{ha.RegisterMissing, "waits: there is no register"},
	{ha.NotBootstrapped, "waits: the register is empty, and does not name it as the first"},
	{ha.NotInRule, "is not counted: the rule does not name it"},
	{ha.EngineNotReady, "waits: its engine is not ready"},
	{ha.BackingOff, "lets somebody else go first"},
	{ha.WaitingForMembers, "waits: too few members of the rule join it"},
	{ha.PositionsNotOrdered, "waits: two members hold writes that the other one lacks"},
	{ha.WaitingForClaim, "waits: it does not know whether the register has its record"},
	{ha.WaitingForPromotion, "waits: its engine is being made a primary"},
	{ha.WaitingForLease, "waits: too few members answer it"},
	{ha.WaitingForAcknowledger, "waits: too few members have its barrier on their disks"},
	{ha.WaitingForSecondCopy, "waits: the policy is to block, and there is no second copy"},
}

// waits tells what a member waits for.
func (n *narrator) waits(m *sight, p *pod, who string) {
	why, now := p.state.Why, n.s.w.clock
	switch {
	case !p.up || p.paused > 0:
		return
	case why == ha.Well:
		m.wait = wait{}
		return
	case why != m.wait.why || p.state.Role != m.wait.role:
		m.wait.why, m.wait.role, m.wait.since = why, p.state.Role, now
		return
	case now-m.wait.since < lasts:
		return
	}
	for i, reason := range waits {
		if reason.why == why && !m.wait.told[i] {
			m.wait.told[i] = true
			n.tell("%s %s", who, reason.says)
		}
	}
}
