package ha

import "time"

// Durable is what a member keeps on its volume, outside the engine's data. It
// is on the disk before anything that follows from it is sent, followed,
// promoted or opened.
type Durable struct {
	Cluster string
	UID     string
	Claim   string // uid of the volume claim that UID was made on
	Home    int    // ordinal that UID was made for, plus one; 0: not known
	Boot    Boot
	// Floor: this member follows no leader whose record version is below it.
	Floor int64
	// Promotions counts the sessions that this member has begun.
	Promotions int64
	// Seen is the newest record known to have been in the register.
	Seen Record
	// Pending is a record that this member has tried to write over Base, and
	// whose fate it does not know. Version 0: none.
	Pending Record
	Base    Object
	// Void: Pending cannot land any more, though it may have, and been lost.
	Void bool
	// Boots of the other members.
	Boots Boots
}

// Equal compares by content.
func (d Durable) Equal(o Durable) bool {
	return d.Floor == o.Floor && d.Promotions == o.Promotions && d.Boot == o.Boot && d.UID == o.UID && d.Cluster == o.Cluster &&
		d.Claim == o.Claim && d.Home == o.Home && d.Base == o.Base && d.Void == o.Void && d.Seen.Equal(o.Seen) && d.Pending.Equal(o.Pending) && d.Boots.equal(o.Boots)
}

// Role is what a member does at the moment.
type Role int

const (
	Following  Role = iota // or waiting for somebody to follow
	Recruiting             // asks the others to join
	Claiming               // has offered its record to the register
	Opening                // leads; its gate is closed
	Serving                // leads; its gate is open
	Draining               // leads; on its way to a clean step down
)

// String draws the role for logs and test output.
func (r Role) String() string {
	return [...]string{"following", "recruiting", "claiming", "opening", "serving", "draining"}[r]
}

// Leads tells whether the role is a leader's.
func (r Role) Leads() bool { return r >= Opening }

// State is all that a member knows. It is a value: Decide returns a new one.
// Only Durable survives a restart of the agent.
type State struct {
	Durable
	Ordinal int
	Role    Role
	Want    Want
	Why     Reason // what it waits for, or why it does what it does

	started  time.Duration // of this agent
	ended    bool          // Renew or Exit was asked for
	suspect  bool          // somebody knows a later boot of this uid
	fencing  bool          // the engine is to be killed, and not proven dead yet
	answered bool          // the register has answered since the start

	contact     time.Duration // last heartbeat accepted; at the start: then
	learned     time.Duration // when Seen was learned
	termLearned time.Duration // when its term was
	released    int64         // term that its leader has given up
	backoff     time.Duration // no candidacy before

	// The leader as of its last heartbeat.
	leader     Source
	leaderBoot Boot
	leaderSent time.Duration // on the leader's clock
	barrier    Log           // of leader.Session
	out        bool          // it says: you are in no rule

	waiting [MaxMembers]waiting // by ordinal

	view     view
	reading  call
	writing  call
	calls    int64         // ID of the last call
	readable time.Duration // no read before
	look     time.Duration // when somebody said that the register needs a look

	campaign campaign
	lead     lead
}

// never is the time of what has not happened.
const never time.Duration = -1 << 62

// Start is the state of a freshly started agent. Its boot has been counted and
// is on the disk. Nobody becomes a primary by remembering that it was: it
// follows, and helps nobody until a leader that it may have answered before
// has had the time to die.
func Start(d Durable, ordinal int, now time.Duration) State {
	return State{
		Durable: d,
		Ordinal: ordinal,
		Want:    Want{Mode: Down},
		started: now, contact: now, learned: now,
		termLearned: never, backoff: never, readable: never, look: never,
	}
}
