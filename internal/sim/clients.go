package sim

import "time"

// clients write all the time, to every engine that lets them: routing may be
// late, and sessions may have been open for long, so nobody is spared.
type clients struct {
	next     int64 // id of the next write
	answered int   // writes that clients know to have succeeded
	unknown  int
	refused  int
	last     time.Duration // of the last success
	idle     bool          // a story does its own writing
}

// write is the clients' loop.
func (w *world) workload() {
	if !w.clients.idle {
		for _, p := range w.pods {
			if p != nil {
				w.clientWrites(p.engine)
			}
		}
		for _, g := range w.ghosts {
			w.clientWrites(g.engine)
		}
	}
	w.after(w.between(20*ms, 80*ms), w.workload)
}

// clientWrites is one write to one engine.
func (w *world) clientWrites(e *engine) {
	if !e.gateOpen() {
		return
	}
	c := &w.clients
	c.next++
	e.write(c.next, w.clientHears)
}

// clientHears is what a client is told.
func (w *world) clientHears(o outcome) {
	c := &w.clients
	switch o {
	case outcomeOk:
		c.answered++
		c.last = w.clock
	case outcomeRefused:
		c.refused++
	default:
		c.unknown++
	}
}
