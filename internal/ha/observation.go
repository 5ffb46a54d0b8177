package ha

import "time"

// Observation is what a member sees at one moment. Every field but Message,
// Reply and Volume is a level: it says how things are, each time.
type Observation struct {
	// Now is the member's monotonic clock. It may start anew with each agent.
	Now time.Duration
	// Random is a fresh number, each time.
	Random uint64
	// Suspended: the machine slept since the last observation, so Now is not
	// the time that passed.
	Suspended bool

	// Engine as it is since the newest Want was taken up: nothing that an older
	// Want began can still make it untrue.
	Engine Engine
	Spec   Spec
	// Claim is the uid of the volume claim, read by name; empty until it is
	// known.
	Claim string

	// Look: somebody says that the register needs a look.
	Look bool

	Message *Message // at most one a time
	Reply   *Reply   // at most one a time
	Volume  *Boot    // the answer to a Verify action
}

// Spec is what the user wants.
type Spec struct {
	// Members wanted: the ordinals below it.
	Members int
	// Block: never serve with one copy when two or more are wanted.
	Block   bool
	Profile string
	// Stopping: the pod is about to end.
	Stopping bool
	// Switchover is a request to hand the lead over; term 0: none.
	Switchover Switchover
	// Force is the version of the newest record known, quoted by a person who
	// accepts to lose what only the missing members hold, and knows that they
	// are off. It makes this member the only one. 0: no.
	Force int64
}

// Switchover is a request to the leader of one term. It is tried once, and means
// nothing to any other leader: so it does not go on for ever between two, and is
// not repeated when the lead comes back.
type Switchover struct {
	Term   int64
	Target int // ordinal; -1: the best
}
