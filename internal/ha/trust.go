package ha

import "time"

// claimWait is how long a member says nothing while it cannot learn which
// volume claim it runs on. A pod on a new claim cannot have been made without
// the API server, so no answer for so long means: the same as before.
const claimWait = 4 * time.Second

// trusted tells whether this process may speak for its member. A volume that
// was turned back or copied holds old promises, so it becomes a new member; one
// that another process has taken over is left alone.
func (t *turn) trusted() bool {
	switch {
	case t.ended:
	case !t.suspect:
		return true
	case t.o.Volume == nil:
	case *t.o.Volume != t.Boot:
		t.end(Exit{})
	default:
		t.end(Renew{})
	}
	return false
}

// placed tells whether the volume is known to be the one that the member was
// made on. One that was put under another ordinal or claim becomes a new member.
// Until the claim is known nothing is said.
func (t *turn) placed() bool {
	switch {
	case t.Home == 0:
		t.Home = t.Ordinal + 1
	case t.Home != t.Ordinal+1:
		t.end(Renew{})
		return false
	}
	switch {
	case t.o.Claim == t.Claim:
	case t.Claim == "":
		t.Claim = t.o.Claim
	case t.o.Claim != "":
		t.end(Renew{})
		return false
	default:
		t.Why = CheckingVolume
		return t.age(t.started) >= claimWait
	}
	return true
}

func (t *turn) end(a Action) {
	t.ended = true
	t.actions = append(t.actions, a)
}

// doubt is what a member does that is told of a later boot of itself: it kills
// its engine, says nothing more and looks at its volume.
func (t *turn) doubt() {
	t.suspect = true
	t.actions = append(t.actions, Verify{})
}

// hearMessage takes only what the newest process of a member says.
func (t *turn) hearMessage() {
	if t.o.Message == nil {
		return
	}
	from := t.o.Message.From
	if from.Cluster != "" && t.Cluster != "" && from.Cluster != t.Cluster {
		return
	}
	known := t.Boots.Of(from.UID)
	switch {
	case later(known, from.Boot):
		t.send(from.Ordinal, Stale{from.UID, known})
		return
	case from.Boot != known:
		t.Boots = t.Boots.heard(from.UID, from.Boot)
	}
	t.hear(from, t.o.Message.Body)
}

// later tells whether known rules out that boot is the member's newest: it is
// older, or one of two that have the same number.
func later(known, boot Boot) bool {
	return known.Number > boot.Number || known.Number == boot.Number && known.Nonce != boot.Nonce
}

func (t *turn) hear(from Identity, b Body) {
	if t.Role == Recruiting && t.Seen.Names(from.UID) {
		t.campaign.heard = true
	}
	switch b := b.(type) {
	case Heartbeat:
		t.hearHeartbeat(from, b)
	case Ack:
		t.hearAck(from, b)
	case Recruit:
		t.hearRecruit(from, b)
	case Join:
		t.hearJoin(from, b)
	case Refuse:
		t.hearRefuse(from, b)
	case Release:
		t.hearRelease(from, b)
	case Stale:
		if b.UID == t.UID && later(b.Boot, t.Boot) {
			t.doubt()
		}
	}
}
