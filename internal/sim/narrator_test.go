package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// narrator tells a story in few words: what members decide, promise and write
// down, what becomes of their engines, what clients see, and what is waited
// for. It tells transitions alone, and each of them once.
type narrator struct {
	s      *story
	silent bool
	late   int64 // the register is late until it is asked for more than this version

	exists  bool // the register
	records int  // it has held
	members [ha.MaxMembers]sight
	said    map[string]bool // answers to this version's candidates
}

// sight is what was last seen of a pod.
type sight struct {
	pod        *pod
	uid        string
	up         bool
	process    process
	session    ha.Session
	source     ha.Source
	open       bool
	rebuilding bool
	diverged   ha.Session
	contact    time.Duration // its agent has accepted a heartbeat
	asked      int64         // the version that it has asked others to join it over
	wait       wait
}

func newNarrator(s *story) *narrator { return &narrator{s: s, said: map[string]bool{}} }

func (n *narrator) tell(format string, args ...any) {
	if !n.silent {
		n.s.tell(format, args...)
	}
}

// hear takes those of the world's own lines that have no other sign.
func (n *narrator) hear(_ time.Duration, line string) {
	if who, ok := strings.CutSuffix(line, "  its guardian kills the engine"); ok {
		n.tell("%s: its guardian kills the engine, since its agent has no lease left or says nothing", n.nameAt(int(who[0]-'a')))
	}
	if what, ok := strings.CutPrefix(line, "register  too late: "); ok {
		n.tell("the claim that got no answer arrives (%s), finds a newer object and changes nothing", short(what))
	}
}

// once tells what belongs to a version of the record, and only once.
func (n *narrator) once(version int64, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if key := fmt.Sprint(version, line); !n.said[key] {
		n.said[key] = true
		n.tell("%s", line)
	}
}

// watch tells what an agent does in one turn.
func (n *narrator) watch(p *pod, next *ha.State, in input, actions []ha.Action) {
	before := &p.state
	for _, a := range actions {
		switch a := a.(type) {
		case ha.Send:
			n.sends(p, next, in, a)
		case ha.Renew:
			n.tell("%s finds that it has been here before: its volume was turned back or copied, so it must not speak for %s", p.name, short(next.UID))
		}
	}
	if next.Role != before.Role {
		n.role(p, next)
	}
	if next.Want.Mode == ha.Down && before.Want.Mode == ha.Primary && p.engine.process == primary && !p.engine.dying {
		n.tell("%s kills its engine: %s", short(next.UID), n.whyFence(p, next))
	}
}

// sends tells joins, refusals and releases.
func (n *narrator) sends(p *pod, next *ha.State, in input, a ha.Send) {
	who := short(next.UID)
	switch b := a.Body.(type) {
	case ha.Ack:
		n.members[p.ordinal].contact = n.s.w.clock
	case ha.Join:
		n.once(b.Base, "%s joins %s: it promises to follow nothing older than version %d, is frozen, and its log ends at %s",
			who, n.nameAt(a.To), b.Floor, where(b.Position))
	case ha.Refuse:
		if in.message == nil {
			return
		}
		if r, ok := in.message.Body.(ha.Recruit); ok && next.Seen.Names(next.UID) {
			n.once(next.Seen.Version, "%s does not join %s: %s", who, n.nameAt(a.To), n.whyRefuse(p, next, r))
		}
	case ha.Release:
		n.once(b.Record.Version, "%s gives term %d up, in favour of %s: its engine writes no more", who, b.Record.Term, short(b.Preferred))
	}
}

// where says how far a log reaches.
func where(p ha.Position) string {
	l, ok := p.Log.(*image)
	if !ok {
		return "a place that it does not know"
	}
	return fmt.Sprintf("entry %d, in session %v", l.length, p.Session)
}

// whyRefuse says why a member helps no candidate.
func (n *narrator) whyRefuse(p *pod, next *ha.State, r ha.Recruit) string {
	switch {
	case !r.Base.Equal(next.Seen):
		return fmt.Sprintf("it knows of version %d", next.Seen.Version)
	case next.Role.Leads():
		return "it leads, and is answered"
	}
	return "it heard the leader a moment ago, who may still serve"
}

func (n *narrator) nameAt(ordinal int) string {
	if p := n.s.w.pods[ordinal]; p != nil {
		return short(p.volume.state.UID)
	}
	return string(letter(ordinal))
}

// role tells what a member is from now on.
func (n *narrator) role(p *pod, next *ha.State) {
	who, before := short(next.UID), p.state.Role
	switch next.Role {
	case ha.Recruiting:
		m := &n.members[p.ordinal]
		if m.asked == next.Seen.Version {
			return
		}
		m.asked = next.Seen.Version
		if silence := n.s.w.clock - m.contact; m.contact > 0 && silence > time.Second {
			n.tell("%s has heard no leader for %.2fs and asks the others to join it", who, silence.Seconds())
			return
		}
		n.tell("%s asks the others to join it", who)
	case ha.Claiming:
		if next.Pending.Term == 0 {
			n.tell("%s, whom the operator has named as the first, asks the register for version 1, with itself as the only member", who)
			return
		}
		n.tell("%s asks the register for version %d: %s", who, next.Pending.Version, leads(next.Pending))
	case ha.Opening:
		if before == ha.Serving || before == ha.Draining {
			n.tell("%s still holds term %d, and begins again behind a closed gate", who, next.Seen.Term)
		}
	case ha.Draining:
		n.tell("%s begins to hand over: it closes its gate and waits until its successor has everything", who)
	case ha.Serving:
		if before == ha.Draining {
			n.tell("%s takes the handover back: its successor did not get everything within 2s", who)
		}
	case ha.Following:
		if before >= ha.Claiming && next.Seen.Leader != next.UID && next.Seen.Leader != "" {
			n.tell("%s hears that %s leads term %d, and steps back", who, short(next.Seen.Leader), next.Seen.Term)
		}
	}
}

func leads(r ha.Record) string {
	return fmt.Sprintf("%s leads term %d, %s", short(r.Leader), r.Term, ruleOf(r.Rule))
}

// whyFence says why an engine must die.
func (n *narrator) whyFence(p *pod, next *ha.State) string {
	e := p.engine.observe()
	switch {
	case next.Seen.Leader != next.UID:
		return "it leads no more"
	case e.Stuck:
		return "it lives and serves nobody"
	case e.Mode != ha.Primary && e.Mode != ha.Standby:
		return "it is no primary any more"
	case next.Role == ha.Following:
		return "it steps back"
	}
	return "too few members have answered for too long, so somebody else may soon lead"
}

// look tells what has changed in the world since the last look.
func (n *narrator) look() {
	n.lookAtRegister()
	for ordinal := range n.members {
		n.lookAtPod(ordinal)
	}
	n.s.wait()
}

func (n *narrator) lookAtRegister() {
	w, r := n.s.w, &n.s.w.register
	if r.exists != n.exists {
		n.exists = r.exists
		if n.exists && r.made > 1 {
			n.tell("the operator makes the register anew, empty")
		}
	}
	for ; n.records < len(r.history); n.records++ {
		now, before := r.history[n.records].record, ha.Record{}
		if n.records > 0 {
			before = r.history[n.records-1].record
		}
		n.tell("the register holds version %d: %s", now.Version, changed(before, now))
	}
	if w.register.late > 0 && r.tried > n.late {
		r.late, n.s.chance.low = 0, false
		n.tell("the register takes that and does not answer")
	}
}

// changed says how a record differs from the one before.
func changed(before, now ha.Record) string {
	switch {
	case before.Version == 0:
		return fmt.Sprintf("the first record, with %s as the only member", shortAll(now.Members))
	case now.Term != before.Term:
		return leads(now)
	}
	for _, uid := range now.Members {
		if !before.Names(uid) {
			return fmt.Sprintf("%s is in, %s", short(uid), ruleOf(now.Rule))
		}
	}
	gone := slices.DeleteFunc(slices.Clone(before.Members), now.Names)
	if len(gone) > 0 {
		return fmt.Sprintf("%s is out, %s", shortAll(gone), ruleOf(now.Rule))
	}
	return "the same as before, above all that was tried or promised"
}

// lookAtPod tells what became of a member's agent, engine and data.
func (n *narrator) lookAtPod(ordinal int) {
	m, p := &n.members[ordinal], n.s.w.pods[ordinal]
	if p == nil {
		*m = sight{uid: m.uid}
		return
	}
	if p != m.pod {
		*m = sight{pod: p, uid: m.uid}
	}
	who := short(p.volume.state.UID)
	if uid := p.volume.state.UID; uid != m.uid {
		switch {
		case m.uid == "":
		case who[:1] != p.name:
			n.tell("pod %s starts on a volume that says it is %s", p.name, who)
		default:
			n.tell("%s is a new member, on pod %s", who, p.name)
		}
		m.uid = uid
	}
	if p.up != m.up {
		m.up = p.up
		m.wait = wait{}
		if p.up {
			m.contact = 0
			n.tell("%s: its agent starts and follows, whatever it was before", who)
		}
	}
	n.lookAtEngine(m, p.engine, who)
	n.lookAtGate(m, p, who)
	n.waits(m, p, who)
}

// lookAtEngine tells sessions, sources and rebuilds.
func (n *narrator) lookAtEngine(m *sight, e *engine, who string) {
	o := e.observe()
	if e.process != m.process {
		if e.process == primary {
			n.tell("%s: its engine is a primary in session %v, and writes the barrier", who, e.session)
		} else if m.process == primary && e.process == dead {
			n.tell("%s: its engine is dead%s", who, ifOpen(m.open))
			m.open = false
		}
		m.process = e.process
	}
	if o.Diverged != m.diverged {
		m.diverged = o.Diverged
		if (o.Diverged != ha.Session{}) {
			n.tell("%s: its log cannot go on with session %v of %s: it has diverged", who, o.Diverged, n.nameAt(e.driver.want.Source.Ordinal))
		}
	}
	if e.driver.rebuilding != m.rebuilding {
		m.rebuilding = e.driver.rebuilding
		if m.rebuilding {
			what := "is rewound to that of %s, or replaced by it"
			if e.data == nil {
				what = "is to be a copy of that of %s"
			}
			n.tell("%s: its data "+what, who, n.nameAt(e.driver.want.Source.Ordinal))
		}
	}
	if o.Source.Session != m.source.Session || o.Source.UID != m.source.UID {
		m.source = o.Source
		if o.Source.UID != "" {
			n.tell("%s copies the log of %s", who, short(o.Source.UID))
		}
	}
}

func ifOpen(open bool) string {
	if open {
		return ", and serves no client any more"
	}
	return ""
}

// lookAtGate tells when clients can write, and when they cannot any more.
func (n *narrator) lookAtGate(m *sight, p *pod, who string) {
	open := p.engine.gateOpen()
	if open == m.open {
		return
	}
	m.open = open
	switch {
	case open:
		n.tell("%s opens its gate in session %v: clients can write", who, p.engine.session)
	default:
		n.tell("%s serves no client any more", who)
	}
}
