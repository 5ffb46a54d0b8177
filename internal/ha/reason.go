package ha

// Reason names, in one word for machines, what a member waits for.
type Reason string

// The reasons.
const (
	Well                   Reason = ""
	CheckingVolume         Reason = "CheckingVolume"         // nothing is said before the claim's uid is known
	WaitingForLeader       Reason = "WaitingForLeader"       // a leader was heard of a moment ago
	WaitingForRegister     Reason = "WaitingForRegister"     // the API server does not answer
	RegisterMissing        Reason = "RegisterMissing"        // the operator is to make it anew
	NotBootstrapped        Reason = "NotBootstrapped"        // an empty register does not name this member
	NotInRule              Reason = "NotInRule"              // a learner, or left out
	EngineNotReady         Reason = "EngineNotReady"         // its engine is down, starting or rebuilding
	BackingOff             Reason = "BackingOff"             // lets a better candidate go first
	WaitingForMembers      Reason = "WaitingForMembers"      // too few of the rule have joined or follow
	PositionsNotOrdered    Reason = "PositionsNotOrdered"    // two members hold writes that the other lacks
	WaitingForClaim        Reason = "WaitingForClaim"        // its record is on the way to the register
	WaitingForPromotion    Reason = "WaitingForPromotion"    // the engine is being made a primary
	WaitingForLease        Reason = "WaitingForLease"        // too few members answer the leader
	WaitingForAcknowledger Reason = "WaitingForAcknowledger" // the barrier is not on enough members
	WaitingForSecondCopy   Reason = "WaitingForSecondCopy"   // onLoss: block
	HandingOver            Reason = "HandingOver"            // a switchover is under way
)
