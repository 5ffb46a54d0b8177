package sim

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

const ms = time.Millisecond

// world is everything there is while one seed runs: virtual time, the events
// to come, and one source of chance.
type world struct {
	seed   uint64
	clock  time.Duration // true time since the seed began; no agent can see it
	events queue
	order  uint64 // of events at one moment: first made, first run
	rng    *rand.Rand
	hash   uint64 // of all that happened, to compare two runs
	halted bool   // an invariant is broken: nothing more happens

	// tell receives the lines of the story; nil while nobody listens.
	tell func(at time.Duration, line string)
	// watch sees each turn of an agent before it counts; nil while nobody looks.
	watch func(p *pod, next *ha.State, in input, actions []ha.Action)

	options options
	plan    plan

	pods     []*pod    // by ordinal: the pod that the ordinal's name leads to
	ghosts   []*pod    // pods that were given up and run on
	volumes  []*volume // by ordinal
	uids     []int     // by ordinal: given out so far
	claims   int
	tainted  map[string]bool // members whose volume was turned back
	history  history
	network  network
	register register
	operator operator
	clients  clients
	checks   checks

	aimed      []*fault // that wait for their moment
	released   *pod     // it has sent a Release in this event
	landed     *pod     // its write reached the register in this event
	struck     int
	quiet      bool          // faults have ended
	incomplete time.Duration // when last something was missing, after that
	several    bool          // members were lost at once, or nearly: a person may be needed
}

// newWorld is an empty world for one seed.
func newWorld(seed uint64) *world {
	return &world{seed: seed, rng: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
}

// now is the true time.
func (w *world) now() time.Duration { return w.clock }

// after runs f once d has passed. It cannot be taken back: whoever may change
// his mind counts generations and looks at the count in f.
func (w *world) after(d time.Duration, f func()) { w.at(w.clock+max(d, 0), f) }

// at runs f at a moment, which must not be past.
func (w *world) at(when time.Duration, f func()) {
	w.order++
	w.events.push(event{when, w.order, f})
}

// advance runs all events up to a moment and stops there.
func (w *world) advance(until time.Duration) {
	for !w.halted && len(w.events) > 0 && w.events[0].at <= until {
		e := w.events.pop()
		w.clock = e.at
		w.note(uint64(e.at))
		e.run()
		w.check()
	}
	w.clock = until
}

// note adds to the hash of the run.
func (w *world) note(x uint64) { w.hash = (w.hash ^ x) * 0x100000001b3 }

// engine is the engine that an ordinal's address leads to, nil if there is none.
func (w *world) engine(ordinal int) *engine {
	if p := w.pods[ordinal]; p != nil {
		return p.engine
	}
	return nil
}

// tracing tells whether somebody listens; callers on hot paths ask before they
// make arguments for tracef.
func (w *world) tracing() bool { return w.tell != nil }

// tracef adds a line to the story.
func (w *world) tracef(format string, args ...any) {
	if w.tell != nil {
		w.tell(w.clock, fmt.Sprintf(format, args...))
	}
}

// chance is true once in n times.
func (w *world) chance(n int) bool { return w.rng.IntN(n) == 0 }

// between draws a duration from the half-open range.
func (w *world) between(low, high time.Duration) time.Duration {
	return low + time.Duration(w.rng.Int64N(int64(high-low)))
}

// pick draws an index below n.
func (w *world) pick(n int) int { return w.rng.IntN(n) }

// event is something that will happen.
type event struct {
	at    time.Duration
	order uint64
	run   func()
}

func (e event) before(o event) bool {
	return e.at < o.at || e.at == o.at && e.order < o.order
}

// queue is a heap of events with four children per node: the next one first.
type queue []event

func (q *queue) push(e event) {
	h := append(*q, e)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if !e.before(h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = e
	*q = h
}

func (q *queue) pop() event {
	h := *q
	first, last := h[0], h[len(h)-1]
	h[len(h)-1] = event{} // let go of the function
	h = h[:len(h)-1]
	*q = h
	i := 0
	for {
		least := 4*i + 1
		if least >= len(h) {
			break
		}
		for c := least + 1; c < min(4*i+5, len(h)); c++ {
			if h[c].before(h[least]) {
				least = c
			}
		}
		if !h[least].before(last) {
			break
		}
		h[i] = h[least]
		i = least
	}
	if len(h) > 0 {
		h[i] = last
	}
	return first
}
