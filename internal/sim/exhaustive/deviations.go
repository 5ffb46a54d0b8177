package exhaustive

import "fmt"

// deviation is one thing that goes otherwise than it ordinarily does.
type deviation struct {
	name string
	do   func(w *world, e event)
}

// How long, in ticks, what is cut, paused or stopped stays so: longer than a
// leader is given, and longer than its followers wait.
const (
	short = 4
	long  = 9
)

var (
	ofMessages = []deviation{
		{"is lost", func(*world, event) {}},
		{"is late", func(w *world, e event) { w.postpone(e, 2) }},
		{"finds its receiver crashing", func(w *world, e event) { w.crash(e.node, 1) }},
	}
	ofReads = []deviation{
		{"is not answered", func(*world, event) {}},
	}
	ofWrites = []deviation{
		{"is lost", func(*world, event) {}},
		{"lands and is not answered", func(w *world, e event) {
			e.mute = true
			w.happen(e)
		}},
		{"lands late", func(w *world, e event) {
			e.mute = true
			w.postpone(e, short)
		}},
		{"lands very late", func(w *world, e event) {
			e.mute = true
			w.postpone(e, long)
		}},
		{"lands, and its sender crashes", func(w *world, e event) {
			e.mute = true
			w.happen(e)
			w.crash(e.node, 1)
		}},
	}
	ofWork = []deviation{
		{"takes long", func(w *world, e event) { w.postpone(e, 2) }},
	}
	ofFeeds = []deviation{
		{"takes long", func(*world, event) {}}, // until the next tick
	}
)

// deviations are what can become of an event instead of what ordinarily does.
func (w *world) deviations(e event) []deviation {
	if e.due != 0 {
		return nil // it has gone otherwise already
	}
	switch e.kind {
	case message:
		if w.ticks < w.nodes[e.node].cutAgents || w.ticks < w.nodes[e.from].cutAgents || !w.nodes[e.node].up {
			return nil
		}
		return ofMessages
	case read:
		return ofReads
	case write:
		return ofWrites
	case work:
		return ofWork
	case feed, acked:
		return ofFeeds
	}
	return nil
}

// ofTime are the deviations that can begin at any tick, with any member.
var ofTime = []struct {
	name string
	do   func(w *world, i int)
}{
	{"crashes", func(w *world, i int) { w.crash(i, 1) }},
	{"crashes for long", func(w *world, i int) { w.crash(i, long) }},
	{"its engine dies", func(w *world, i int) { w.die(i) }},
	{"its agent is paused", func(w *world, i int) { w.nodes[i].paused = w.ticks + long }},
	{"its machine is stopped", func(w *world, i int) {
		n := &w.nodes[i]
		n.paused = w.ticks + long
		n.stopped = true
	}},
	{"is cut off", func(w *world, i int) {
		n := &w.nodes[i]
		n.cutAgents, n.cutLog, n.cutRegister = w.ticks+long, w.ticks+long, w.ticks+long
	}},
	{"its agent is cut off", func(w *world, i int) { w.nodes[i].cutAgents = w.ticks + long }},
	{"its log is cut off", func(w *world, i int) { w.nodes[i].cutLog = w.ticks + long }},
	{"is cut off from the register", func(w *world, i int) { w.nodes[i].cutRegister = w.ticks + long }},
}

var kindNames = [...]string{message: "a message", read: "a read", write: "a write", answer: "a turn", work: "the engine's work", feed: "the log's way", acked: "an acknowledgement"}

// describe names a deviation for the story.
func (w *world) describe(e event, what string) string {
	name := kindNames[e.kind]
	if e.message != nil {
		name = fmt.Sprintf("%T from %s", e.message.Body, e.message.From.UID)
	}
	return fmt.Sprintf("tick %d: %s at %s %s", w.ticks, name, w.nodes[e.node].state.UID, what)
}
