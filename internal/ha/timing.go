package ha

import (
	"fmt"
	"time"
)

// Timings are the durations of one profile, on the monotonic clock. All
// members use those of the profile named in the record.
type Timings struct {
	Heartbeat time.Duration // from the leader to every ordinal
	Fence     time.Duration // age of the lease at which the leader kills its engine
	Kill      time.Duration // the longest from that decision to a dead engine
	Withhold  time.Duration // how long a member that heard the leader helps nobody else
	Weaken    time.Duration // age of the lease at which a weaker rule is sought
	Lost      time.Duration // silence after which a member leaves the rule
	Lag       time.Duration // being behind for so long: the same
}

// Names of the profiles. The zero name is Fast.
const (
	Fast     = "fast"
	Standard = "standard"
	Far      = "far"
)

const ms = time.Millisecond

// TimingsOf are the timings of a profile; an unknown name means Fast.
func TimingsOf(profile string) Timings {
	switch profile {
	case Standard:
		return Timings{500 * ms, 2500 * ms, 500 * ms, 3500 * ms, 1200 * ms, 6000 * ms, 10000 * ms}
	case Far:
		return Timings{1000 * ms, 6000 * ms, 1000 * ms, 8000 * ms, 2500 * ms, 15000 * ms, 30000 * ms}
	default:
		return Timings{250 * ms, 1250 * ms, 250 * ms, 1750 * ms, 600 * ms, 3000 * ms, 5000 * ms}
	}
}

// clockError is the largest relative difference in rate between the clocks of
// two members that the timings allow for, in percent.
const clockError = 2

// Validate returns an error unless an old leader is dead before any member
// that heard it helps to choose another, by clocks that differ by clockError.
func (t Timings) Validate() error {
	switch {
	case t.Withhold*(100-clockError) <= t.Fence*(100+clockError)+t.Kill*100:
		return fmt.Errorf("withholding for %v does not outlast a leader that fences after %v and dies within %v", t.Withhold, t.Fence, t.Kill)
	case t.Weaken >= t.Fence:
		return fmt.Errorf("seeking a weaker rule after %v comes too late for a leader that fences after %v", t.Weaken, t.Fence)
	}
	return nil
}

// strictest are timings that are safe beside members that use t or o: it
// fences like the quicker and withholds like the slower of both.
func (t Timings) strictest(o Timings) Timings {
	t.Fence = min(t.Fence, o.Fence)
	t.Weaken = min(t.Weaken, o.Weaken)
	t.Withhold = max(t.Withhold, o.Withhold)
	t.Heartbeat = min(t.Heartbeat, o.Heartbeat)
	return t
}
