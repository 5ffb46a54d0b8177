package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// clients write all the time, to every engine that lets them: routing may be
// late, and sessions may have been open for long, so nobody is spared.
type clients struct {
	next     int64         // id of the next write
	answered int           // writes that clients know to have succeeded
	last     time.Duration // of the last success
	idle     bool          // a story does its own writing
	held     [ha.MaxMembers]*session
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

// clientWrites is one write to one engine, half of the time over a session that
// a client has held for long: as long as that engine has let it.
func (w *world) clientWrites(e *engine) {
	c := &w.clients
	held := &c.held[e.ordinal]
	if *held != nil && (*held).e != e {
		*held = nil
	}
	switch {
	case *held != nil && (*held).alive() && w.chance(2):
		c.next++
		(*held).write(c.next, w.clientHears)
	case e.gateOpen():
		if *held == nil || !(*held).alive() {
			*held = e.connectClient()
		}
		c.next++
		e.write(c.next, w.clientHears)
	}
}

// clientHears is what a client is told.
func (w *world) clientHears(o outcome) {
	if o == outcomeOk {
		w.clients.answered++
		w.clients.last = w.clock
	}
}
