package sim

import (
	"fmt"
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
		n.tell("%s: its guardian kills the engine: the lease that it was told of is over", n.nameAt(int(who[0]-'a')))
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
			n.tell("%s finds that its volume was turned back or copied, so it must not speak for %s", p.name, short(next.UID))
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
		n.once(b.Base, "%s joins %s and promises to follow nothing below version %d; frozen, its log ends at %s",
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
	return fmt.Sprintf("entry %d of session %v", l.length, p.Session)
}

// whyRefuse says why a member helps no candidate.
func (n *narrator) whyRefuse(p *pod, next *ha.State, r ha.Recruit) string {
	switch {
	case !r.Base.Equal(next.Seen):
		return fmt.Sprintf("it knows of version %d", next.Seen.Version)
	case next.Role.Leads():
		return "it leads, and is answered"
	}
	if n.members[p.ordinal].contact == 0 {
		return "it has only just started, and may have answered a leader who still serves"
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
