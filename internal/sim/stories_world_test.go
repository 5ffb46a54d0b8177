package sim

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// story is a world in which nothing goes wrong by chance, and somebody who
// tells what happens in it.
type story struct {
	w        *world
	chance   *steady
	zero     time.Duration // true time at which the story's own begins
	narrator *narrator
	writers  writers
	out      []string
	writes   int // of the register, before the last advance

	machines    [ha.MaxMembers]*pod // that have a clock
	photographs [ha.MaxMembers]*snapshotOf
}

func newStory() *story { return &story{} }

// play does one command and returns what there is to tell of it.
func (s *story) play(command string) ([]string, error) {
	name, rest, _ := strings.Cut(command, " ")
	s.out = nil
	verb, known := verbs[name]
	switch {
	case !known:
		return nil, fmt.Errorf("no verb is called %q", name)
	case (s.w == nil) != (name == "start" || name == "members"):
		return nil, errors.New("a story begins with start or members, and has one of them")
	}
	if err := verb(s, strings.Fields(rest)); err != nil {
		return s.out, err
	}
	s.narrator.look()
	if broken := s.w.checks.broken; broken != "" {
		return s.out, fmt.Errorf("violated: %s", broken)
	}
	return s.out, nil
}

// tell adds a line with its moment.
func (s *story) tell(format string, args ...any) {
	at := fmt.Sprintf("%.2fs", (s.w.clock - s.zero).Seconds())
	s.out = append(s.out, fmt.Sprintf("%10s  %s", at, fmt.Sprintf(format, args...)))
}

// say adds a line without one.
func (s *story) say(format string, args ...any) {
	s.out = append(s.out, "    "+fmt.Sprintf(format, args...))
}

// begin makes the world of a story: kind engines, and chance without extremes.
func (s *story) begin(p plan) {
	w := newWorld(1)
	s.chance = &steady{source: rand.NewPCG(1, 2)}
	w.rng = rand.New(s.chance)
	s.w = w
	s.narrator = newNarrator(s)
	w.watch = s.narrator.watch
	w.tell = s.narrator.hear
	p.seed, p.profile, p.brief = 1, ha.Fast, true
	w.begin(p)
	w.clients.idle = true
	s.work()
}

// advance lets time pass and tells what happens.
func (s *story) advance(d time.Duration) {
	w := s.w
	until := w.clock + d
	for len(w.events) > 0 && w.events[0].at <= until && !w.halted {
		w.advance(w.events[0].at)
		s.setClocks()
		s.narrator.look()
	}
	w.advance(until)
}

// await advances until something is so, at most so long.
func (s *story) await(limit time.Duration, so func() bool) error {
	for deadline := s.w.clock + limit; !so(); {
		if s.w.clock >= deadline || s.w.halted {
			return fmt.Errorf("not within %v: %s", limit, s.w.restless())
		}
		s.advance(ms)
	}
	return nil
}

// settle lets a new Database become complete without a word. The time of the
// story begins then.
func (s *story) settle() error {
	s.narrator.silent = true
	err := s.await(time.Minute, s.complete)
	s.advance(5 * time.Second)
	s.narrator.silent = false
	s.zero, s.out, s.writes = s.w.clock, nil, s.w.register.writes
	s.writers.forget(s.w.clock)
	return err
}

// pod is the one of an ordinal's letter, or that of the primary.
func (s *story) pod(name string) (*pod, error) {
	if name == "primary" {
		if p := s.w.leader(); p != nil {
			return p, nil
		}
	}
	for _, p := range s.w.pods {
		if p != nil && p.name == name {
			return p, nil
		}
	}
	return nil, fmt.Errorf("there is no pod %q", name)
}

// steady is chance without extremes: whatever is drawn from a range is its
// middle, so that a story is the same however often somebody draws. Only what
// happens every other time is left to chance; while low is set, it happens
// always.
type steady struct {
	source rand.Source
	low    bool
}

// Uint64 implements rand.Source. Ranges of two, four and so on are drawn from
// the lowest bits, and others from the highest: there, numbers that are all the
// same would be drawn for ever.
func (s *steady) Uint64() uint64 {
	const middle = 1 << 63
	x := s.source.Uint64()
	x = middle + x>>60<<32 + x<<32>>32
	x = x&^0b11110 | 0b01010
	if s.low {
		x &^= 1
	}
	return x
}

// setClock gives a machine a clock that is as wrong as it may be, each in its own
// way, so that members do not act in step.
func (s *story) setClock(p *pod) {
	rates := [ha.MaxMembers]int64{0, 15_000, -15_000, 7_500, -7_500}
	p.clock = clock{rate: rates[p.ordinal], since: s.w.clock, still: -1}
	s.machines[p.ordinal] = p
}

// setClocks does so for machines that are new.
func (s *story) setClocks() {
	for _, p := range s.w.pods {
		if p != nil && s.machines[p.ordinal] != p {
			s.setClock(p)
		}
	}
}

// short is what a member is called in a story: a, and a2 when its volume has
// been replaced.
func short(uid string) string { return strings.TrimSuffix(uid, "1") }

func shortAll(uids []string) string {
	names := slices.Clone(uids)
	for i, uid := range names {
		names[i] = short(uid)
	}
	return strings.Join(names, " ")
}
