package ha

import "time"

// Object is one version of the object behind the register. A write replaces it,
// and only it.
type Object struct {
	UID    string `json:"uid,omitempty"`
	Number uint64 `json:"number,omitempty"`
}

// follows tells whether the object has moved on from base, so that what was
// offered over base can never land.
func (o Object) follows(base Object) bool { return o.UID != base.UID || o.Number > base.Number }

// Outcome of a call to the register.
type Outcome int

const (
	// Unanswered: no answer, or one that says nothing. A write may have
	// happened, or happen later.
	Unanswered Outcome = iota
	// Answered: Reply holds what the register held when it answered.
	Answered
	// Missing: there is no such object.
	Missing
	// Conflicted: the object is no longer the one the write was based on. That
	// may be because of this very write, whose first answer was lost.
	Conflicted
)

// Reply is the answer to one Read or Write action.
type Reply struct {
	Call      int64 // of the action
	Outcome   Outcome
	Object    Object
	Record    Record // Version 0: none, or nothing that a member wrote
	Bootstrap int    // ordinal that may write the first record, plus one; 0: nobody
}

// view is what the newest answered read saw.
type view struct {
	Began     time.Duration // when that read was sent
	Answered  bool          // there is a view
	Missing   bool          // no object, or one older than was read before
	Object    Object
	Record    Record
	Bootstrap int
}

// call is one call to the register that waits for its reply.
type call struct {
	ID    int64
	Began time.Duration
}

// Limits of calls to the register. The pause is between the end of a read
// without an answer and the next, so that a member that waits asks often
// enough to go on at once and seldom enough not to be a load.
const (
	readLimit  = time.Second
	writeLimit = 700 * ms
	readPause  = 200 * ms
	fatePause  = 5 * time.Second // between reads for the fate of an old offer
)

// hearRegister takes the reply to the last call, and gives up what is overdue.
// A reply to an earlier call says nothing that a later one will not.
func (t *turn) hearRegister() {
	if r := t.o.Reply; r != nil {
		switch {
		case t.reading.ID != 0 && r.Call == t.reading.ID:
			t.heardRead(*r)
		case t.writing.ID != 0 && r.Call == t.writing.ID:
			t.heardWrite(*r)
		}
	}
	if t.reading.ID != 0 && t.age(t.reading.Began) > readLimit {
		t.reading = call{}
		t.readable = t.now + readPause
	}
	if t.writing.ID != 0 && t.age(t.writing.Began) > writeLimit {
		t.writing = call{}
	}
}

func (t *turn) heardRead(r Reply) {
	began := t.reading.Began
	t.reading = call{}
	if r.Outcome != Answered && r.Outcome != Missing {
		t.readable = t.now + readPause
		return
	}
	t.answered = true
	t.see(r, began)
}

// heardWrite believes only a success. After anything else, a conflict too, the
// record may be there all the same: only a read tells.
func (t *turn) heardWrite(r Reply) {
	began := t.writing.Began
	t.writing = call{}
	if r.Outcome == Answered {
		t.see(r, began)
	}
}

// see takes what the register held. Whether it was turned back is told by the
// record alone: versions only grow, numbers of the object start again.
func (t *turn) see(r Reply, began time.Duration) {
	t.view = view{Began: began, Answered: true}
	if r.Outcome == Missing {
		t.view.Missing = true
		return
	}
	t.view.Object = r.Object
	t.Void = t.Void || t.Pending.Version > r.Record.Version && r.Object.follows(t.Base)
	t.view.Record = r.Record
	t.view.Bootstrap = r.Bootstrap
	t.learn(r.Record)
}

// learn takes a record that was in the register, from wherever it was heard. A
// leader that learns of another leader or term is deposed at once.
func (t *turn) learn(r Record) {
	if r.Version <= t.Seen.Version {
		return
	}
	if r.Term > t.Seen.Term {
		t.termLearned = t.now
	}
	if t.Role.Leads() {
		t.profileChanged(r)
	}
	t.Seen = r
	t.learned = t.now
	if t.Pending.Version <= r.Version {
		t.Pending, t.Base, t.Void = Record{}, Object{}, false
	}
	if t.Role.Leads() && (r.Leader != t.UID || r.Term != t.lead.term) {
		t.stepBack()
	}
}

// fresh tells whether the register was read recently enough, by a read that
// began at most so long ago and after the newest record was learned. If not,
// one is under way.
func (t *turn) fresh(limit time.Duration) bool {
	return t.readSince(max(t.now-limit, t.learned))
}

// readSince tells whether there is an answered read that began at or after a
// time. If not, one is under way.
func (t *turn) readSince(at time.Duration) bool {
	if t.view.Answered && t.view.Began >= at {
		return true
	}
	if t.reading.ID == 0 && t.now >= t.readable {
		t.calls++
		t.reading = call{t.calls, t.now}
		t.actions = append(t.actions, Read{t.calls})
	}
	return false
}

// lookAgain reads the register that somebody said needs a look.
func (t *turn) lookAgain() {
	if t.look != never && t.readSince(t.look) {
		t.look = never
	}
}

// lost tells whether the register, as read after the newest record was learned,
// no longer holds it.
func (t *turn) lost() bool {
	return t.view.Answered && t.view.Began >= t.learned && !t.view.Record.Equal(t.Seen)
}

// offer tries to put a record in the place of base. It is known to be tried
// before it is sent, since it can land at any later time.
func (t *turn) offer(r Record, base Object) {
	t.Pending, t.Base, t.Void = r, base, false
	t.calls++
	t.writing = call{t.calls, t.now}
	t.actions = append(t.actions, Write{t.calls, base, r})
}
