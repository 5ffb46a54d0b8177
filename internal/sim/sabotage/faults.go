package sabotage

import (
	"time"

	"github.com/myuser/db-operator/internal/sim"
)

// Sets of faults that lead to one kind of trouble.
var (
	// A primary that was cut off, or stood still, comes back.
	isolation = []sim.Aimed{
		{Kind: "isolate", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
		{Kind: "isolate agent", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
		{Kind: "split", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
	}
	standstill = []sim.Aimed{
		{Kind: "pause agent", Who: "the primary", Moment: "-", Lasts: 5 * time.Second},
		{Kind: "pause agent", Who: "the primary", Moment: "about to open", Lasts: 5 * time.Second},
		{Kind: "pause all processes", Who: "the primary", Moment: "about to open", Lasts: 5 * time.Second},
		{Kind: "isolate agent", Who: "the primary", Moment: "about to open", Lasts: 5 * time.Second},
		{Kind: "kill engine", Who: "the primary", Moment: "-"},
	}
	// A primary is being replaced while it can still write.
	deposed = []sim.Aimed{
		{Kind: "stop machine until it is replaced", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
		{Kind: "register slow", Moment: "-", Lasts: 8 * time.Second},
		{Kind: "stall replay of the others", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
	}
	// A member restarts while its primary is cut off from the rest.
	bootsAside = []sim.Aimed{
		{Kind: "kill agent", Who: "the primary", Moment: "-", Lasts: 500 * time.Millisecond},
		{Kind: "restart the others", Who: "the primary", Moment: "-"},
		{Kind: "cut one direction", Who: "the primary", Moment: "-", Lasts: 4 * time.Second},
		{Kind: "isolate agent", Who: "the primary", Moment: "-", Lasts: 4 * time.Second},
	}
	// Members hold what others lack.
	errancy = []sim.Aimed{
		{Kind: "errant write"}, {Kind: "cut engines"},
		{Kind: "kill agent", Who: "the primary", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "isolate", Who: "the primary", Moment: "-", Lasts: 4 * time.Second},
	}
	lostRegister = []sim.Aimed{
		{Kind: "delete register"}, {Kind: "edit register"}, {Kind: "restore register"},
		{Kind: "isolate", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
		{Kind: "kill agent", Who: "the primary", Moment: "-", Lasts: 4 * time.Second},
	}
	// Rules change while writes of the register are unanswered.
	changing = []sim.Aimed{
		{Kind: "register forgets answers", Moment: "-", Lasts: 8 * time.Second},
		{Kind: "register writes late", Moment: "-", Lasts: 8 * time.Second},
		{Kind: "scale", Moment: "-"},
		{Kind: "isolate", Who: "a follower", Moment: "-", Lasts: 5 * time.Second},
		{Kind: "kill engine", Who: "the primary", Moment: "a change of the rule is in flight"},
		{Kind: "isolate", Who: "the primary", Moment: "a change of the rule is in flight", Lasts: 5 * time.Second},
		{Kind: "split", Who: "the primary", Moment: "a change of the rule is in flight", Lasts: 5 * time.Second},
	}
	growing = []sim.Aimed{
		{Kind: "register forgets answers", Moment: "-", Lasts: 8 * time.Second},
		{Kind: "register writes late", Moment: "-", Lasts: 8 * time.Second},
		{Kind: "scale", Moment: "-"},
		{Kind: "kill agent", Who: "whose moment it is", Moment: "a change of the rule is in flight", Lasts: 500 * time.Millisecond},
		{Kind: "cut from register", Who: "whose moment it is", Moment: "a change of the rule is in flight", Lasts: 8 * time.Second},
		{Kind: "isolate agent", Who: "whose moment it is", Moment: "a change of the rule is in flight", Lasts: 8 * time.Second},
	}
	// Engines fail under leaders that are well.
	failing = []sim.Aimed{
		{Kind: "freeze engine", Who: "the primary", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "full disk", Who: "the primary", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "hung disk", Who: "the primary", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "switchover", Moment: "-"}, {Kind: "stop pod", Who: "the primary", Moment: "-"},
	}
	// Writes of the register get lost.
	unanswered = []sim.Aimed{
		{Kind: "cut from register", Who: "whose moment it is", Moment: "a claim is in flight", Lasts: 3 * time.Second},
		{Kind: "cut from register", Who: "whose moment it is", Moment: "a change of the rule is in flight", Lasts: 3 * time.Second},
		{Kind: "register down", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "kill agent", Who: "the primary", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "isolate", Who: "the primary", Moment: "-", Lasts: 5 * time.Second},
	}
	// Primaries come and go, and with them rules, timelines and tails.
	turnover = []sim.Aimed{
		{Kind: "scale", Moment: "-"}, {Kind: "switchover", Moment: "-"},
		{Kind: "stop machine until it is replaced", Who: "the primary", Moment: "-", Lasts: 6 * time.Second},
		{Kind: "stall replay of the others", Who: "the primary", Moment: "-", Lasts: 4 * time.Second},
		{Kind: "kill engine", Who: "the primary", Moment: "-"},
		{Kind: "kill engine", Who: "a follower", Moment: "-"},
		{Kind: "lose power", Who: "the primary", Moment: "-", Lasts: 2 * time.Second},
		{Kind: "cut engines", Who: "a follower", Moment: "-", Lasts: 3 * time.Second},
		{Kind: "cut engines", Who: "the primary", Moment: "a change of the rule is at the engine", Lasts: 3 * time.Second},
		{Kind: "isolate", Who: "the primary", Moment: "-", Lasts: 4 * time.Second},
		{Kind: "isolate", Who: "a follower", Moment: "-", Lasts: 5 * time.Second},
		{Kind: "errant write", Who: "a follower", Moment: "-"},
		{Kind: "freeze engine", Who: "the primary", Moment: "-", Lasts: 3 * time.Second},
	}
)
