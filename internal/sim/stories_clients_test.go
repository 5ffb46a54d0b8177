package sim

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// writers are a story's clients: one writes to every open gate each 50 ms, and
// remembers what it was told.
type writers struct {
	next   int64
	sure   []int64       // writes that succeeded
	last   time.Duration // of the last success
	gap    time.Duration // the longest time between two successes
	cut    int           // writes without an answer that nobody was told of
	waits  bool          // it was told that they wait
	served string        // who answered last
}

// work is the clients' loop.
func (s *story) work() {
	for _, p := range s.w.pods {
		if p != nil && p.engine.gateOpen() {
			s.write(p.engine)
		}
	}
	s.w.after(50*ms, s.work)
}

// write is one write to one engine.
func (s *story) write(e *engine) {
	c := &s.writers
	c.next++
	id := c.next
	e.write(id, func(o outcome) {
		switch o {
		case outcomeOk:
			s.succeeded(id, e)
		case outcomeUnknown:
			c.cut++
		}
	})
}

// burst is many writes at the same moment.
func burst(s *story, words []string) error {
	if len(words) != 1 {
		return errWords
	}
	n, err := strconv.Atoi(words[0])
	if err != nil || n < 1 || n > 1000 {
		return fmt.Errorf("%q is no number of writes", words[0])
	}
	p := s.w.leader()
	if p == nil {
		return errors.New("nobody leads")
	}
	for range n {
		s.write(p.engine)
	}
	return nil
}

// succeeded notes a write that its client may count on.
func (s *story) succeeded(id int64, e *engine) {
	c, now := &s.writers, s.w.clock
	c.sure = append(c.sure, id)
	gap := now - c.last
	if c.served == "" {
		gap = 0
	}
	switch who := short(e.uid); {
	case c.served == "":
		s.narrator.tell("clients: the first write has succeeded, at %s", who)
	case c.waits || who != c.served:
		s.narrator.tell("clients: writes succeed again, at %s, after %.2fs without", who, gap.Seconds())
	}
	c.gap = max(c.gap, gap)
	c.last, c.waits, c.served = now, false, short(e.uid)
}

// longest is the longest time without a success since the last question.
func (c *writers) longest(now time.Duration) time.Duration { return max(c.gap, now-c.last) }

// forget begins to measure anew.
func (c *writers) forget(now time.Duration) { c.gap, c.last = 0, max(c.last, now) }

// wait tells once that nothing has succeeded for a while.
func (s *story) wait() {
	c := &s.writers
	if c.cut > 0 {
		s.narrator.tell("clients: writes that were under way (%d) end without an answer", c.cut)
		c.cut = 0
	}
	if !c.waits && c.served != "" && s.w.clock-c.last > 400*ms {
		c.waits = true
		s.narrator.tell("clients: no write has succeeded for 0.4s")
	}
}
