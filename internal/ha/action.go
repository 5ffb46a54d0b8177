package ha

// Action is one thing for the runner to do once, in order, and only after the
// durable state it follows from is on the disk; a Refuse or a Stale promises
// nothing and may go out at once.
// It is one of Send, Read, Write, Verify, Renew and Exit.
type Action interface{ action() }

// Send a message to the agent of an ordinal. It may be lost.
type Send struct {
	To   int
	Body Body
}

// Read the register, consistently.
type Read struct{ Call int64 }

// Write replaces Base, and only that, by Record.
type Write struct {
	Call   int64
	Base   Object
	Record Record
}

// Verify reads the durable state from the volume again. The answer comes as
// Observation.Volume.
type Verify struct{}

// Renew moves the data aside and starts again under a new uid: the volume was
// copied or turned back, and must not speak for the member it was.
type Renew struct{}

// Exit leaves the volume alone: another process owns it.
type Exit struct{}

func (Send) action()   {}
func (Read) action()   {}
func (Write) action()  {}
func (Verify) action() {}
func (Renew) action()  {}
func (Exit) action()   {}
