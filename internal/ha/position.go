package ha

import "fmt"

// Position is how far a member's flushed log reaches: the session of the last
// barrier in it, then the log itself. A nil Log is a position that nobody
// knows yet, whatever the session says.
type Position struct {
	Session
	Log Log
}

// Known tells whether the position can be compared at all.
func (p Position) Known() bool { return p.Log != nil }

// Compare tells how p stands to other: the session decides, then the log. Logs
// of one session may still be unordered, where a member has written on its own.
func (p Position) Compare(other Position) Order {
	switch {
	case !p.Known() || !other.Known():
		return Unknown
	case p.Session.Before(other.Session):
		return Behind
	case other.Session.Before(p.Session):
		return Ahead
	default:
		return p.Log.Compare(other.Log)
	}
}

// Holds tells whether p, in the given session, reaches at least to mark.
func (p Position) Holds(s Session, mark Log) bool {
	if !p.Known() || mark == nil || p.Session != s {
		return false
	}
	o := p.Log.Compare(mark)
	return o == Equal || o == Ahead
}

// String draws the position for logs and test output: "(3,1) 0/5000060".
func (p Position) String() string {
	if !p.Known() {
		return "unknown"
	}
	return fmt.Sprintf("%v %v", p.Session, p.Log)
}
