package exhaustive

import (
	"fmt"
	"strings"

	"github.com/myuser/db-operator/internal/ha"
)

// Bounds of one search.
type Bounds struct {
	Members    int
	Block      bool // never serve with one copy
	Ticks      int  // length of a run, after the Database has settled
	Deviations int  // at most
}

// Found is what a search went through.
type Found struct {
	Runs   int // that were told apart
	Events int
	Merged int // runs that came to a world that was known
	// Broken is the first violation, with the deviations that lead to it.
	Broken string
	Story  []string
}

// Search tries all runs within bounds. It returns an error if the Database does
// not even settle.
func Search(b Bounds) (Found, error) {
	w, err := settled(b.Members, b.Block)
	if err != nil {
		return Found{}, err
	}
	s := search{end: w.ticks + b.Ticks, seen: map[uint64]int8{}}
	s.explore(w, b.Deviations)
	return s.found, nil
}

// search is a search under way.
type search struct {
	end   int
	seen  map[uint64]int8 // deviations that were left, plus one, by world at a tick
	path  []string
	found Found
	hash  hasher
}

// settled is a Database with all its members in the rule.
func settled(members int, block bool) (*world, error) {
	w := &world{members: members, block: block}
	w.register.number = 1
	for i := range members {
		n := &w.nodes[i]
		n.engine.mode = ha.Vacant
		n.state.Durable = ha.Durable{UID: string(rune('a' + i)), Claim: "q" + string(rune('a'+i))}
	}
	for range 100 {
		w.pass()
		for n := 0; len(w.queue) > 0; n++ {
			if n > eventful {
				return nil, fmt.Errorf("tick %d has no end", w.ticks)
			}
			e := w.queue[0]
			w.queue = w.queue[1:]
			w.happen(e)
		}
		if a := &w.nodes[0]; a.state.Role == ha.Serving && len(a.state.Seen.Members) == members && w.gateOpen(0) {
			return w.clone(), nil
		}
	}
	return nil, fmt.Errorf("%d members do not settle: %v", members, w.register.record)
}

// explore goes on with the ordinary run, and at each place where something else
// may happen, tries that first.
func (s *search) explore(w *world, left int) {
	s.found.Runs++
	for w.broken == "" && s.found.Broken == "" {
		for n := 0; len(w.queue) > 0 && w.broken == ""; n++ {
			if n > eventful {
				w.violate("a tick has no end: %v", w.queue[0])
				break
			}
			e := w.queue[0]
			w.queue = w.queue[1:]
			if left > 0 {
				s.deviate(w, e, left)
			}
			s.found.Events++
			w.happen(e)
		}
		w.checkGates()
		if w.ticks >= s.end || w.broken != "" {
			break
		}
		if (left > 0 || w.ticks%4 == 0) && s.known(w, left) {
			s.found.Merged++
			return
		}
		if left > 0 {
			s.deviateInTime(w, left)
		}
		w.pass()
	}
	if w.broken != "" && s.found.Broken == "" {
		s.found.Broken = w.broken
		s.found.Story = append([]string{}, s.path...)
	}
}

func (s *search) deviate(w *world, e event, left int) {
	for _, d := range w.deviations(e) {
		if s.found.Broken != "" {
			return
		}
		c := w.clone()
		s.path = append(s.path, w.describe(e, d.name))
		d.do(c, e)
		s.explore(c, left-1)
		s.path = s.path[:len(s.path)-1]
	}
}

func (s *search) deviateInTime(w *world, left int) {
	for i := range w.members {
		for _, d := range ofTime {
			if s.found.Broken != "" {
				return
			}
			c := w.clone()
			s.path = append(s.path, fmt.Sprintf("tick %d: %s %s", w.ticks, w.nodes[i].state.UID, d.name))
			d.do(c, i)
			c.pass()
			s.explore(c, left-1)
			s.path = s.path[:len(s.path)-1]
		}
	}
}

// known tells whether a world was there before with at least as much left to go
// wrong. A run with nothing left to go wrong is soon at its end, so it is not
// worth to ask at every tick.
func (s *search) known(w *world, left int) bool {
	h := s.hash.of(w)
	if s.seen[h] > int8(left) {
		return true
	}
	s.seen[h] = int8(left) + 1
	return false
}

// String draws what was found.
func (f Found) String() string {
	text := fmt.Sprintf("%d runs, %d of them merged into known worlds, %d events", f.Runs, f.Merged, f.Events)
	if f.Broken != "" {
		text += "\n" + f.Broken + "\n" + strings.Join(f.Story, "\n")
	}
	return text
}
