package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// network carries messages between agents and logs between engines. Every
// direction of every pair is a link of its own, and the agents' links know
// nothing of the engines': either can be cut while the other works.
type network struct {
	agents  [ha.MaxMembers][ha.MaxMembers]link
	engines [ha.MaxMembers][ha.MaxMembers]link
	api     [ha.MaxMembers]link
}

// link is one direction. Faults overlap, so they count up and down instead of
// setting and clearing.
type link struct {
	cuts    int
	lossy   int           // faults that lose, double and reorder messages
	latency time.Duration // of a quiet link
	extra   time.Duration // added by faults
}

func (l *link) up() bool { return l.cuts == 0 }

// drawNetwork gives every link its quiet latency.
func (w *world) drawNetwork() {
	for a := range ha.MaxMembers {
		for b := range ha.MaxMembers {
			w.network.agents[a][b].latency = w.between(200*time.Microsecond, 4*ms)
			w.network.engines[a][b].latency = w.between(200*time.Microsecond, 4*ms)
		}
		w.network.api[a].latency = w.between(1*ms, 10*ms)
	}
}

// engineLink is what the engines see of the network.
func (w *world) engineLink(from, to int) (time.Duration, bool) {
	l := &w.network.engines[from][to]
	return l.latency + l.extra, l.up()
}

// delay draws how long one message takes. Nothing keeps two of them in order.
func (l *link) delay(w *world) time.Duration {
	d := l.latency + l.extra
	d += time.Duration(w.rng.Int64N(int64(d) + 1))
	switch {
	case l.lossy > 0 && w.chance(4):
		d += w.between(0, 400*ms)
	case !w.quiet && w.chance(200):
		d += w.between(0, 100*ms)
	}
	return d
}

// send carries a message to whichever pod answers to an ordinal. While two do,
// chance decides, as it does with addresses that were looked up before.
func (w *world) send(from *pod, to int, m *ha.Message) {
	if to < 0 || to >= ha.MaxMembers || to == from.ordinal {
		return
	}
	l := &w.network.agents[from.ordinal][to]
	if !l.up() || l.lossy > 0 && w.chance(5) || !w.quiet && w.chance(1000) {
		return
	}
	copies := 1
	if l.lossy > 0 && w.chance(10) || !w.quiet && w.chance(500) {
		copies = 2
	}
	for range copies {
		w.after(l.delay(w), func() {
			if l.up() {
				w.deliver(to, m)
			}
		})
	}
}

// deliver brings a message to the pod that answers to an ordinal. A ghost goes
// on receiving for a while, from whoever has looked its address up before; and
// later, over the connections that it opens itself, that it is one.
func (w *world) deliver(ordinal int, m *ha.Message) {
	for _, g := range w.ghosts {
		if g.ordinal != ordinal || !g.up {
			continue
		}
		if _, stale := m.Body.(ha.Stale); stale {
			g.receive(input{message: m})
		} else if w.clock < g.forgotten && w.chance(2) {
			g.receive(input{message: m})
			return
		}
	}
	if p := w.pods[ordinal]; p != nil {
		p.receive(input{message: m})
	}
}

// healNetwork ends every fault of every link.
func (w *world) healNetwork() {
	heal := func(l *link) { l.cuts, l.lossy, l.extra = 0, 0, 0 }
	for a := range ha.MaxMembers {
		for b := range ha.MaxMembers {
			heal(&w.network.agents[a][b])
			heal(&w.network.engines[a][b])
		}
		heal(&w.network.api[a])
	}
}
