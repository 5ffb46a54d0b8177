package sim

import "github.com/myuser/db-operator/internal/ha"

// Faults that destroy what a member or the register holds. The protocol
// promises to survive so many lost members as have no part in a set that
// acknowledges, so each of these looks first whether one more is survivable.

// faultDeleteRegister deletes the object.
func (w *world) faultDeleteRegister(_ *fault, _ *pod) {
	if w.lost() == 0 && w.register.record.Version > 0 {
		w.deleteRegister()
	}
}

// faultEditRegister puts an older record into the object.
func (w *world) faultEditRegister(f *fault, _ *pod) {
	if past := w.past(f); past != nil {
		w.tracef("register  edited back to %v", past.record)
		w.editRegister(*past)
	}
}

// faultRestoreRegister turns the object back to an older version of itself.
func (w *world) faultRestoreRegister(f *fault, _ *pod) {
	if past := w.past(f); past != nil {
		w.tracef("register  restored to %v", past.record)
		w.restoreRegister(*past)
	}
}

// past is a content that the register can be turned back to: any, as long as
// every member that the rules since then name knows the newest record.
func (w *world) past(f *fault) *revision {
	r := &w.register
	if !r.exists || len(r.history) < 2 || w.lost() > 0 || !r.record.Equal(r.newest()) {
		return nil
	}
	back := min(len(r.history)-1, 1+int(f.dice>>8%4))
	past := &r.history[len(r.history)-1-back]
	for _, since := range r.history[len(r.history)-1-back:] {
		for _, uid := range since.record.Members {
			if v := w.volumeOf(uid); v == nil || !v.state.Seen.Equal(r.newest()) || v.state.Pending.Version > 0 {
				return nil
			}
		}
	}
	return past
}

// volumeOf is the volume that holds a member, nil if none does any more: a copy
// under another claim does not.
func (w *world) volumeOf(uid string) *volume {
	for _, v := range w.volumes {
		if v != nil && v.state.UID == uid && (v.state.Claim == "" || v.state.Claim == v.claim) {
			return v
		}
	}
	return nil
}

// lost counts the members that no volume holds any more, of the rule that is
// recorded, of every older one that some member still takes for it, and of those
// that are tried: without the register all of them are asked for.
func (w *world) lost() int {
	n := w.lostOf(w.register.newest())
	for _, v := range w.volumes {
		if v != nil {
			n += w.lostOf(v.state.Seen) + w.lostOf(v.state.Pending)
		}
	}
	for _, p := range w.pods {
		if p != nil && p.up {
			n += w.lostOf(p.state.Pending) + w.lostOf(ha.Record{Rule: p.state.Want.Rule})
		}
	}
	return n
}

func (w *world) lostOf(r ha.Record) int {
	n := 0
	for _, uid := range r.Members {
		if v := w.volumeOf(uid); v == nil || w.tainted[uid] || v.engine.vacant() || v.engine.data.errant {
			n++
		}
	}
	return n
}

// mayLose tells whether the data of one more member can go: under the recorded
// rule and under every rule that somebody tries to record, those that are left
// still hold every acknowledged write.
func (w *world) mayLose(uid string) bool {
	r := &w.register
	if !r.exists || r.record.Version != r.newest().Version || w.tainted[uid] {
		return false
	}
	if !r.record.Names(uid) && w.lost() > 0 {
		return false // it may be just about to take the place of one that was lost
	}
	most := 0
	survives := func(record ha.Record) bool {
		if !record.Names(uid) {
			return true
		}
		n := w.lostOf(record) + 1
		most = max(most, n)
		return n <= record.Acks-1
	}
	if !survives(r.record) {
		return false
	}
	for _, p := range w.pods {
		if p == nil {
			continue
		}
		wanted := ha.Record{Version: r.record.Version + 1, Rule: p.state.Want.Rule}
		for _, pending := range []ha.Record{p.volume.state.Pending, p.state.Pending, wanted} {
			if pending.Version > r.record.Version && !survives(pending) {
				return false
			}
		}
		if p.up && p.state.Role.Leads() && !survives(ha.Record{Version: 1, Rule: p.engine.observe().Rule}) {
			return false
		}
	}
	w.several = w.several || most > 1
	return true
}

// faultErrantWrite is somebody who writes on a standby, which from then on is as
// good as lost until it is rebuilt.
func (w *world) faultErrantWrite(_ *fault, p *pod) {
	if w.register.record.Version > 0 && w.mayLose(p.volume.state.UID) {
		p.engine.errantWrite()
	}
}

// faultWipe empties a volume: what starts on it is a new member.
func (w *world) faultWipe(f *fault, p *pod) {
	if !w.mayLose(p.volume.state.UID) {
		return
	}
	p.die()
	w.tracef("volume  of %s is lost", p.name)
	if f.dice>>8%2 == 0 {
		w.deletePod(p)
		w.volumes[p.ordinal] = nil
		return
	}
	p.engine.wipe()
	w.initialise(p.volume, p.ordinal)
	p.restart(min(f.lasts, 2000*ms))
}

// photograph keeps volumes as they are now, for disks that are turned back.
func (w *world) photograph() {
	for _, v := range w.volumes {
		if v != nil && len(v.snapshots) < 4 && w.chance(2) {
			v.snapshots = append(v.snapshots, snapshotOf{v.state, v.engine.snapshot()})
		}
	}
	w.after(w.between(3000*ms, 8000*ms), w.photograph)
}

// faultTurnBack turns a volume back to what it was before its agent last
// started. All members that could help it to lead must have heard of a later
// start, for only they can know.
func (w *world) faultTurnBack(_ *fault, p *pod) {
	v := p.volume
	uid := v.state.UID
	var old *snapshotOf
	for i := range v.snapshots {
		if s := &v.snapshots[i]; s.state.UID == uid && s.state.Boot.Number < v.state.Boot.Number {
			old = s
		}
	}
	if old == nil || !w.mayLose(uid) || len(w.register.record.Members) == 2 && !(w.operator.block && w.operator.members > 1) {
		return
	}
	for _, o := range w.volumes {
		if o != nil && o != v && o.state.Boots.Of(uid) != v.state.Boot {
			return
		}
	}
	w.tracef("volume  of %s is turned back to boot %d", p.name, old.state.Boot.Number)
	p.die()
	v.state = old.state
	v.engine.restore(old.data)
	w.tainted[uid] = true
	p.restart(w.between(200*ms, 1500*ms))
}

// faultCopy replaces a member's volume by a copy, of itself or of another
// member's, under a new claim.
func (w *world) faultCopy(f *fault, p *pod) {
	from := w.volumes[f.dice>>8%ha.MaxMembers]
	if from == nil || from.state.Claim == "" || !w.mayLose(p.volume.state.UID) || w.register.down > 0 {
		return
	}
	w.tracef("volume  of %s is replaced by a copy of that of %s", p.name, from.state.UID)
	w.deletePod(p)
	v := w.newVolume(p.ordinal)
	v.state = from.state
	v.engine.restore(from.engine.snapshot())
	w.volumes[p.ordinal] = v
}

// faultForce loses every member of the rule but one, which is more than the
// protocol survives by itself; then a person makes the one go on. The world
// chooses one that holds everything, so that nothing is lost by that.
func (w *world) faultForce(_ *fault, p *pod) {
	newest := w.register.newest()
	if len(newest.Members) < 3 || w.lost() > 0 || !p.up || p.state.Role != ha.Following || p.standing > 0 ||
		!w.register.exists || !w.register.record.Equal(newest) || !newest.Names(p.state.UID) {
		return
	}
	for _, v := range w.volumes {
		if v != nil && (!v.state.Seen.Equal(newest) || v.state.Pending.Version > 0) {
			return
		}
	}
	if _, lost := w.history.lost(p.engine.data.image(p.engine, p.engine.data.flushed)); lost {
		return
	}
	for _, o := range w.pods {
		if o == nil || o == p {
			continue
		}
		w.tracef("volume  of %s is lost", o.name)
		o.die()
		o.engine.wipe()
		w.initialise(o.volume, o.ordinal)
		o.restart(w.between(200*ms, 2000*ms))
	}
	w.operator.force, w.operator.forced = newest.Version, p.ordinal
	w.tracef("person  lets %s go on alone from version %d", p.name, newest.Version)
	w.publish()
}

// faultStranger is a member of another set of data that has come to an address
// which was this one's before. A volume without data could not tell; there, only
// certificates keep strangers out.
func (w *world) faultStranger(f *fault, p *pod) {
	if p.state.Cluster == "" {
		return
	}
	m := &ha.Message{
		From: ha.Identity{Cluster: "other", UID: "z1", Ordinal: int(f.dice >> 8 % ha.MaxMembers), Boot: ha.Boot{Number: 1, Nonce: 1}},
		Body: ha.Heartbeat{Record: ha.Record{Version: 1000, Term: 100, Leader: "z1", Rule: ha.RuleOf("z1")}, Session: ha.Session{Term: 100, Incarnation: 1}},
	}
	p.receive(input{message: m})
}
