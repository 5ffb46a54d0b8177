package sim

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// plan is what a seed means: the Database that is wanted, the kind of engine,
// and all that will go wrong, drawn beforehand.
type plan struct {
	seed    uint64
	members int
	block   bool
	profile string
	flavour flavour
	options options
	faults  []fault
	quiet   time.Duration // when faults end
	brief   bool          // nobody looks for D and E
}

// options say what is different in a world from the ordinary one.
type options struct {
	engine engineOptions
}

// How long a seed has to come to rest: a member that was let out of the rule is
// rebuilt and grown back in, one after the other.
const (
	restWithin = 60 * time.Second
	restFor    = 3 * time.Second // without a write of the register, to count as rest
	calm       = 4 * time.Second // in which E is looked for after that
)

// planFor draws the plan of a seed. Members 0 means any number.
func planFor(seed uint64, members int) plan {
	rng := rand.New(rand.NewPCG(seed, 0xd1b54a32d192ed03))
	p := plan{seed: seed, members: 1 + rng.IntN(ha.MaxMembers), block: rng.IntN(2) == 0, flavour: flavour(rng.IntN(2)), profile: ha.Fast}
	p.options.engine = unkindEngines()
	if members > 0 {
		p.members = members
	}
	if rng.IntN(12) == 0 {
		p.profile = ha.Standard
	}
	begin := 8 * time.Second
	if rng.IntN(4) == 0 {
		begin = 0
	}
	p.quiet = begin + time.Duration(8+rng.IntN(30))*time.Second
	n := 6 + rng.IntN(34)
	for range n {
		p.faults = append(p.faults, drawFault(rng, begin, p.quiet))
	}
	slices.SortStableFunc(p.faults, func(a, b fault) int { return int(a.at - b.at) })
	return p
}

// drawFault draws one fault between two moments.
func drawFault(rng *rand.Rand, from, to time.Duration) fault {
	f := fault{at: from + time.Duration(rng.Int64N(int64(to-from))), dice: rng.Uint64(), kind: drawKind(rng)}
	switch rng.IntN(4) {
	case 0:
		f.lasts = time.Duration(rng.Int64N(int64(400 * ms)))
	case 1, 2:
		f.lasts = time.Duration(rng.Int64N(int64(3 * time.Second)))
	default:
		f.lasts = time.Duration(rng.Int64N(int64(12 * time.Second)))
	}
	f.lasts = min(f.lasts+10*ms, to-f.at)
	switch rng.IntN(6) {
	case 0, 1:
		f.who = thePrimary
	case 2:
		f.who = aFollower
	}
	if rng.IntN(3) == 0 {
		f.aim = 1 + rng.IntN(len(aims)-1)
		if rng.IntN(2) == 0 {
			f.who = whoeverAims
		}
	}
	return f
}

// drawKind draws by weight.
func drawKind(rng *rand.Rand) int {
	total := 0
	for i := range kinds {
		total += kinds[i].weight
	}
	dice := rng.IntN(total)
	for i := range kinds {
		if dice -= kinds[i].weight; dice < 0 {
			return i
		}
	}
	return 0
}
