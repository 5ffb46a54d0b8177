package ha

import "time"

// Message is what one agent says to another.
type Message struct {
	From Identity
	Body Body
}

// Body is one of Heartbeat, Ack, Recruit, Join, Refuse, Release and Stale.
//
// A record in a body is one that the register held; what was only tried
// travels as Pending and is never learned.
type Body interface{ body() }

// Heartbeat is the leader's, to every ordinal.
type Heartbeat struct {
	Record Record
	Sent   time.Duration // on the leader's clock; echoed
	// Session and Binding of the leader's engine, zero while it is no primary.
	Session Session
	Binding string
	Barrier Log   // nil until it is written
	Boots   Boots // so that a volume that was turned back hears of it
	// Out: the receiver is in no rule, neither the recorded one nor one that
	// is being tried.
	Out bool
}

// Ack answers a heartbeat that was accepted.
type Ack struct {
	Term     int64         // of the heartbeat
	Boot     Boot          // of the leader
	Sent     time.Duration // of the heartbeat
	Seen     int64         // version of the newest record known
	Floor    int64
	Fit      bool
	Diverged Session
	Position Position
}

// Recruit asks to leave the leader of Base and to help the sender.
type Recruit struct {
	Base     Record // newest known; its leader is to be followed no more
	Position Position
	// Rebuild: the register has lost its record, so every member is asked.
	Rebuild bool
	// Handover: the leader of Base has released it.
	Handover bool
}

// Join answers a Recruit: the sender promised, froze, and then looked.
type Join struct {
	Base    int64 // version of the Recruit's base
	Seen    Record
	Pending Record // Version 0: none
	Floor   int64
	// Position is final, or unknown. Where it is unknown, or holds writes of its
	// own, only what the member knows counts.
	Position Position
	Errant   bool
}

// Refuse answers a Heartbeat or a Recruit and changes nothing.
type Refuse struct {
	Seen  Record
	Floor int64
}

// Release gives up a record, after its engine was given up.
type Release struct {
	Record    Record
	Preferred string // uid of the successor; empty: any
}

// Stale tells a member that somebody knows a later boot of its uid, or the same
// with another nonce.
type Stale struct {
	UID  string
	Boot Boot
}

func (Heartbeat) body() {}
func (Ack) body()       {}
func (Recruit) body()   {}
func (Join) body()      {}
func (Refuse) body()    {}
func (Release) body()   {}
func (Stale) body()     {}
