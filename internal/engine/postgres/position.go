package postgres

import (
	"fmt"
	"slices"

	"github.com/myuser/db-operator/internal/ha"
)

// Position is how far one member's log reaches. It implements ha.Log.
//
// A log is a chain: each ancestor up to where its child began, then the own
// timeline up to LSN. The same number is taken for the same timeline; but two
// members promoted apart can make the same number, so which session a timeline
// stands for is recorded outside the engine.
type Position struct {
	Timeline uint32
	LSN      LSN
	// History lists the ancestors, oldest first: the parsed history file of
	// Timeline. It is empty on timeline 1, and where it is not known.
	History []Switch
}

var _ ha.Log = Position{}

// String is the notation of the server's tools.
func (p Position) String() string { return fmt.Sprintf("%s, tli %d", p.LSN, p.Timeline) }

// Compare implements ha.Log. Logs on different timelines need the history of
// the later one; without it they compare as Unknown.
func (p Position) Compare(other ha.Log) ha.Order {
	q, ok := other.(Position)
	if !ok || !p.valid() || !q.valid() {
		return ha.Unknown
	}
	a, b, aligned := align(p, q)
	if !aligned {
		return ha.Unknown
	}
	common := commonEnd(a, b)
	switch more, lacks := p.LSN > common, q.LSN > common; {
	case more && lacks:
		return ha.Diverged
	case more:
		return ha.Ahead
	case lacks:
		return ha.Behind
	default:
		return ha.Equal
	}
}

// valid tells whether a server could have this log.
func (p Position) valid() bool {
	return p.Timeline > 0 && growing(p.chain())
}

// rooted tells whether the chain is known from its beginning.
func (p Position) rooted() bool { return p.Timeline == 1 || len(p.History) > 0 }

func (p Position) chain() []Switch {
	return append(slices.Clone(p.History), Switch{p.Timeline, p.LSN})
}

// align returns the chains from a point where both follow the same log: their
// beginning, or the timeline of the side whose history is not known.
func align(p, q Position) (a, b []Switch, ok bool) {
	a, b = p.chain(), q.chain()
	switch {
	case !p.rooted():
		b, ok = from(b, p.Timeline)
	case !q.rooted():
		a, ok = from(a, q.Timeline)
	default:
		ok = true
	}
	return a, b, ok
}

func from(chain []Switch, timeline uint32) ([]Switch, bool) {
	i := slices.IndexFunc(chain, func(s Switch) bool { return s.Timeline == timeline })
	if i < 0 {
		return nil, false
	}
	return chain[i:], true
}

// commonEnd is the position up to which both chains are one log.
func commonEnd(a, b []Switch) LSN {
	var common LSN
	for i := range min(len(a), len(b)) {
		if a[i].Timeline != b[i].Timeline {
			break
		}
		common = min(a[i].At, b[i].At)
		if a[i].At != b[i].At {
			break
		}
	}
	return common
}
