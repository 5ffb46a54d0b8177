package sim

import (
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/ha"
)

// data is what an engine and its driver keep on a volume. The driver's part
// lies outside the engine's directory and shares its fate here.
type data struct {
	log     entries
	flushed int64 // length that a power loss leaves
	torn    bool  // half an entry is behind it
	purged  int64 // length of the part that can no longer be sent

	server int32 // sets: who this engine is to the others
	newest int32 // timelines: the highest number that was seen here

	errant bool // sets: somebody wrote here; timelines: somebody promoted it

	// The driver's.
	bound   []binding // timelines, each with the session it stands for
	intent  binding   // a promotion that was begun: timeline is the one before
	minimum int64     // length at which a rewound log is whole
	damaged bool      // a rewind or clone has begun and not ended
	led     ha.Session
	leading bool // it was a primary when it last ran
}

// snapshot is the data of a volume at one moment.
type snapshot = data

// binding says which session a timeline stands for, and where it begins.
type binding struct {
	timeline int32
	at       int64
	session  ha.Session
}

// String is what heartbeats carry: "7@120".
func (b binding) String() string {
	return strconv.Itoa(int(b.timeline)) + "@" + strconv.FormatInt(b.at, 10)
}

// bindingOf reads what String wrote, for a session.
func bindingOf(text string, s ha.Session) binding {
	timeline, at, _ := strings.Cut(text, "@")
	t, _ := strconv.Atoi(timeline)
	a, _ := strconv.ParseInt(at, 10, 64)
	return binding{int32(t), a, s}
}

// copy shares no memory that changes.
func (d *data) copy() *data {
	c := *d
	c.log = d.log.cut(d.log.length)
	c.bound = append([]binding(nil), d.bound...)
	return &c
}

func (d *data) image(e *engine, length int64) *image {
	return d.log.image(&e.w.history, e.flavour, length)
}

// truncate drops what is behind a length.
func (d *data) truncate(length int64) {
	if length < d.log.length {
		d.log = d.log.cut(length)
	}
	d.flushed = min(d.flushed, length)
	d.purged = min(d.purged, length)
}

// boundTo is the session that a timeline stands for on this volume.
func (d *data) boundTo(timeline int32) (binding, bool) {
	for i := len(d.bound) - 1; i >= 0; i-- {
		if d.bound[i].timeline == timeline {
			return d.bound[i], true
		}
	}
	return binding{}, false
}

// sessionOf is the session of the last barrier in the log; ok is false if the
// driver cannot tell.
func (d *data) sessionOf(e *engine, l *image) (s ha.Session, ok bool) {
	if e.flavour == timelines && e.obeys(bindsSessions) {
		run, _ := l.timeline(l.lastTimeline())
		b, ok := d.boundTo(l.mark(run))
		return b.session, ok
	}
	for i := range l.segs() {
		run := l.seg(i)
		b := &e.w.history.branches[run.branch]
		if run.lo == b.at && run.lo < run.hi && s.Before(b.session) {
			s = b.session
		}
	}
	return s, true
}

// lastTimeline is the first run of the last timeline with an entry.
func (l *image) lastTimeline() int {
	start := 0
	for i := 0; i < l.segs(); {
		run, next := l.timeline(i)
		if run.lo < run.hi {
			start = i
		}
		i = next
	}
	return start
}

// withoutErrant is the log without what was written here by nobody's leave, as
// far as its numbers tell.
func (e *engine) withoutErrant(l *image) *image {
	if e.flavour == timelines || !e.data.errant || !e.obeys(subtractsErrant) {
		return l
	}
	kept := entries{segs: make([]seg, 0, l.segs())}
	for i := range l.segs() {
		s := l.seg(i)
		if b := &e.w.history.branches[s.branch]; !b.errant || b.mark != e.data.server {
			kept.segs = append(kept.segs, s)
			kept.length += s.hi - s.lo
		}
	}
	c := kept.image(&e.w.history, e.flavour, kept.length)
	c.torn = l.torn
	return c
}

// nextNumber is the first number of a server that a log does not have.
func (l *entries) nextNumber(h *history, server int32) int64 {
	next := int64(0)
	for _, s := range l.segs {
		if h.branches[s.branch].mark == server {
			next = max(next, s.hi)
		}
	}
	return next
}

// initialised is the first data of a Database.
func (e *engine) initialised() *data {
	h := &e.w.history
	d := &data{newest: 1, bound: []binding{{timeline: 1}}}
	h.servers++
	d.server = h.servers
	b := h.begin(branch{mark: 1})
	if e.flavour == sets {
		h.branches[b].mark = d.server
	}
	h.branches[b].ids = append(h.branches[b].ids, 0)
	d.log.add(seg{b, 0, 1})
	d.flushed = 1
	return d
}

// snapshot is a copy of what is on the volume's disk.
func (e *engine) snapshot() *snapshot {
	if e.data == nil {
		return nil
	}
	s := e.data.copy()
	s.truncate(s.flushed)
	return s
}

// restore puts a snapshot, of this volume or of another, in place of the data.
// Whatever runs on it dies first.
func (e *engine) restore(s *snapshot) {
	e.die()
	e.data = nil
	if s != nil {
		e.data = s.copy()
	}
	e.shown = shown{}
	e.changed()
}

// wipe empties the volume.
func (e *engine) wipe() { e.restore(nil) }

// moveAside leaves the engine without data.
func (e *engine) moveAside() { e.restore(nil) }
