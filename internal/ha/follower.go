package ha

// hearHeartbeat follows a leader, unless this member knows better or has
// promised not to.
func (t *turn) hearHeartbeat(from Identity, h Heartbeat) {
	if boot := h.Boots.Of(t.UID); later(boot, t.Boot) {
		t.doubt()
		return
	}
	own := h.Record.Leader == t.Seen.Leader && h.Record.Term == t.Seen.Term
	if h.Record.Version < t.Seen.Version && !own {
		t.refuse(from.Ordinal)
		return
	}
	t.learn(h.Record)
	switch {
	case h.Record.Version < t.Floor:
		t.refuse(from.Ordinal) // its leader will raise its version
		return
	case h.Record.Term == t.released:
		return
	case from.Boot == t.leaderBoot && from.UID == t.leader.UID && h.Sent < t.leaderSent:
		return // overtaken on the way: it says how things were
	}
	t.Role = Following
	t.Why = Well
	t.contact = t.now
	t.leader = Source{from.UID, from.Ordinal, h.Session, h.Binding}
	t.leaderBoot, t.leaderSent = from.Boot, h.Sent
	t.barrier = h.Barrier
	t.out = h.Out
	t.waiting = [MaxMembers]waiting{}
	if t.Cluster == "" {
		t.Cluster = from.Cluster
	}
	t.send(from.Ordinal, Ack{
		Term: h.Record.Term, Boot: from.Boot, Sent: h.Sent,
		Seen: t.Seen.Version, Floor: t.Floor,
		Fit: t.ready(), Diverged: t.divergedFrom(h.Session), Position: t.o.Engine.Position,
	})
}

// divergedFrom is the session that this member cannot continue. With writes of
// its own it can continue none.
func (t *turn) divergedFrom(s Session) Session {
	if t.o.Engine.Errant {
		return s
	}
	return t.o.Engine.Diverged
}

// hearRelease drops the withhold for the term that its leader gave up.
func (t *turn) hearRelease(from Identity, r Release) {
	t.learn(r.Record)
	if t.Role.Leads() || r.Record.Version != t.Seen.Version || from.UID != t.Seen.Leader {
		return
	}
	t.released = t.Seen.Term
	t.backoff = t.now
	if r.Preferred != t.UID {
		t.backoff += t.between(300*ms, 600*ms)
	}
}

// withholds tells whether this member refuses to help anybody against the
// leader that it heard a moment ago: that one may still serve.
func (t *turn) withholds() bool {
	return t.released != t.Seen.Term && t.age(t.contact) <= t.timings().Withhold
}

// wantedStandby follows the leader's session once there is one. Without a
// leader, and after a promise, it follows nobody: it is frozen.
func (t *turn) wantedStandby() Want {
	w := Want{Mode: Standby}
	if t.Seen.Version == 0 && t.view.Bootstrap == t.Ordinal+1 {
		w.Initialise = true
	}
	if t.leader.Session != (Session{}) {
		w.Source = t.leader
		w.Rebuild = t.mayRebuild()
	}
	return w
}

// mayRebuild tells whether this member's data may be destroyed. A member of the
// rule never destroys its log: others may need it to choose a leader. The word
// must come from a leader that is a primary in the very session that this
// member cannot continue.
func (t *turn) mayRebuild() bool {
	e := t.o.Engine
	useless := e.Mode == Vacant || e.Mode == Rebuilding || e.Errant || e.Diverged == t.leader.Session
	named := t.Seen.Names(t.UID) || t.Pending.Names(t.UID) && !t.Void
	return useless && t.out && t.barrier != nil && !named
}
