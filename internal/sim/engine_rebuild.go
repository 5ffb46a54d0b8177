package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// rebuild makes the data a prefix of the leader's again: by a rewind, which
// drops the own tail, or else by a clone. Nothing calls it off but the death of
// one of the two.
func (e *engine) rebuild() {
	d := &e.driver
	source := d.want.Source
	leader := e.w.engine(source.Ordinal)
	if !e.canRebuildFrom(leader, source) {
		d.begin()
		e.step(200*ms, func() { d.end(e) })
		return
	}
	rewinds, fork := e.rewinds(leader)
	d.rebuilding = true
	e.changed()
	e.receiver.stop()
	e.die()
	d.rebuilds++
	rebuild, life := d.rebuilds, leader.life
	if e.data != nil {
		e.data.damaged = e.obeys(keepsSentinel)
		if !e.data.damaged && !rewinds {
			e.halfDone(leader)
		}
	}
	took := e.w.between(200*ms, 800*ms)
	if e.unkind().slowRebuilds {
		took = e.w.between(200*ms, 4*time.Second)
	}
	e.w.after(took, func() { e.rebuilt(rebuild, life, leader, source, rewinds, fork) })
}

func (e *engine) canRebuildFrom(leader *engine, source ha.Source) bool {
	if leader == nil || leader == e || leader.process != primary || leader.halted || leader.dying || leader.barrier == nil {
		return false
	}
	_, there := e.w.engineLink(e.ordinal, leader.ordinal)
	_, back := e.w.engineLink(leader.ordinal, e.ordinal)
	return there && back && leader.session == source.Session && leader.uid == source.UID
}

// rewinds tells whether dropping the tail will do, and where it begins.
func (e *engine) rewinds(leader *engine) (bool, int64) {
	if e.data == nil || e.data.damaged || e.data.errant || e.w.chance(3) {
		return false, 0
	}
	mine, theirs := e.data.image(e, e.data.log.length), leader.data.image(leader, leader.data.flushed)
	if e.flavour == timelines {
		if e.obeys(clonesSameTimeline) && !e.sameTimelines(mine, leader) {
			return false, 0
		}
		my, _ := mine.timeline(mine.lastTimeline())
		their, _ := theirs.timeline(theirs.lastTimeline())
		if mine.mark(my) == theirs.mark(their) {
			// The tool finds nothing to do.
			return !e.obeys(clonesSameTimeline), mine.length
		}
	}
	fork := mine.common(theirs)
	return fork > 0 && fork >= leader.data.purged, fork
}

// sameTimelines tells whether no number of a timeline here is another's there:
// one that was used here, for whatever it was, must be known to be the same.
func (e *engine) sameTimelines(mine *image, leader *engine) bool {
	rows := leader.barriers()
	for i := 0; i < mine.segs(); {
		run, next := mine.timeline(i)
		i = next
		b, known := e.data.boundTo(mine.mark(run))
		for _, row := range rows {
			if row.timeline == mine.mark(run) && (!known || b != row) {
				return false
			}
		}
	}
	for _, row := range rows {
		if b, known := e.data.boundTo(row.timeline); known && b != row {
			return false
		}
	}
	return true
}

// common is the length up to which two logs are the same, as far as numbers
// tell.
func (l *image) common(o *image) int64 {
	length := int64(0)
	for i := range l.segs() {
		s := l.seg(i)
		has := s.lo
		if l.flavour == sets {
			has = o.numbered(l.mark(s), s.lo, s.hi)
		} else {
			for j := range o.segs() {
				if t := o.seg(j); l.mark(s) == o.mark(t) && t.lo <= s.lo {
					has = max(has, min(s.hi, t.hi))
				}
			}
		}
		length += has - s.lo
		if has < s.hi {
			break
		}
	}
	return length
}

// rebuilt is the end of it: the data is the leader's, up to a point.
func (e *engine) rebuilt(rebuild, life int, leader *engine, source ha.Source, rewinds bool, fork int64) {
	d := &e.driver
	if !d.rebuilding || d.rebuilds != rebuild {
		return
	}
	if leader.life != life || !e.canRebuildFrom(leader, source) || e.disk.full {
		d.abandonRebuild(e) // damaged, so the next one is a clone
		d.work(e)
		return
	}
	made := &data{}
	if rewinds {
		made = e.data
		made.truncate(fork)
		made.minimum = leader.data.flushed
		if e.flavour == sets {
			made.minimum = 0
		}
	} else {
		made.log = entriesOf(leader.data.image(leader, leader.data.flushed))
		made.purged = made.log.length
		made.server = leader.data.server // taken over with the files, replaced below
	}
	if e.flavour == sets && (e.obeys(takesNewServer) || !rewinds) {
		e.w.history.servers++
		made.server = e.w.history.servers
	}
	made.flushed = made.log.length
	made.newest = leader.data.newest
	made.bound = append(append([]binding(nil), leader.data.bound...), leader.barriers()...)
	made.damaged, made.torn, made.errant, made.leading = false, false, false, false
	made.intent = binding{}
	e.data = made
	e.shown = shown{}
	d.rebuilding = false
	d.diverged = ha.Session{}
	e.changed()
	d.work(e)
}

// abandonRebuild is the death of a rewind or clone: what is left is no data.
func (d *driver) abandonRebuild(e *engine) {
	if !d.rebuilding {
		return
	}
	d.rebuilding = false
	d.rebuilds++
	e.changed()
}

// halfDone is data that looks like the leader's and is not: the files that
// tell how far the log goes were copied first.
func (e *engine) halfDone(leader *engine) {
	h := &e.w.history
	log := entriesOf(leader.data.image(leader, leader.data.flushed))
	last := &log.segs[len(log.segs)-1]
	hollow := h.branches[last.branch]
	hollow.relied, hollow.ids = 0, append([]int64(nil), hollow.ids...)
	for i := range hollow.ids {
		hollow.ids[i] = 0
	}
	h.branches = append(h.branches, hollow)
	last.branch = int32(len(h.branches) - 1)
	e.data.log, e.data.flushed = log, log.length
	e.data.newest = leader.data.newest
	e.data.bound = append([]binding(nil), leader.data.bound...)
}
