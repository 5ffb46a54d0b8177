package ha

// Order says how one log stands to another. Unknown is an answer of its own,
// never a low position: a member whose position is unknown has no vote.
type Order int

const (
	Unknown  Order = iota // at least one side cannot be read yet
	Equal                 // both hold the same entries
	Ahead                 // the receiver holds all of the other's entries and more
	Behind                // the other holds all of the receiver's entries and more
	Diverged              // each holds something that the other lacks
)

// String draws the order for logs and test output.
func (o Order) String() string {
	return [...]string{"unknown", "equal", "ahead", "behind", "diverged"}[o]
}

// Reverse is the same relation seen from the other side.
func (o Order) Reverse() Order {
	switch o {
	case Ahead:
		return Behind
	case Behind:
		return Ahead
	default:
		return o
	}
}

// Log is how far one member's log reaches, in the terms of its engine.
// Logs of different engines, and nil, compare as Unknown.
type Log interface {
	// Compare tells how the receiver stands to other. It is pure.
	Compare(other Log) Order
	// String is the engine's own notation, as its tools print it.
	String() string
}
