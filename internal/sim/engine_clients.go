package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// outcome is what a client hears of a write.
type outcome int

const (
	outcomeUnknown outcome = iota // cut off before the answer
	outcomeOk
	outcomeRefused // it was not done
)

// engineClients is the engine's side of its clients.
type engineClients struct {
	gate     ha.Gate // proven
	logins   ha.Gate // what a new session may do
	admitted ha.Gate // what sessions that may still be there can do
	aim      ha.Gate // where the newest change leads
	changes  int     // a change of the gate that is not the newest is void
	sessions []*session

	waiting []waitingWrite
	head    int

	blockedTo int64 // length that must be acknowledged before a login works
	blockedAt time.Duration
}

// waitingWrite is a commit that waits for acknowledgements.
type waitingWrite struct {
	length int64
	index  int64
	at     time.Duration
	done   func(outcome)
}

// session is a client's connection that stays open.
type session struct {
	e    *engine
	open bool
	most ha.Gate // what it was allowed when it began
}

// serves is the most that any client can do at this moment, whatever the
// driver has been told.
func (e *engine) serves() ha.Gate {
	if e.halted {
		return ha.GateClosed
	}
	c := &e.clients
	most := max(c.logins, c.admitted)
	switch {
	case e.process == primary && c.admitted == ha.GateReadOnly:
		return ha.GateOpen // its sessions began on a standby
	case e.process == primary:
		return most
	case e.process == standby:
		return min(most, ha.GateReadOnly)
	case e.w.clock < e.orphans:
		return ha.GateOpen
	}
	return ha.GateClosed
}

// gateOpen tells whether clients can write here.
func (e *engine) gateOpen() bool { return e.serves() == ha.GateOpen }

// connectClient opens a session that stays; nil if the login is refused.
func (e *engine) connectClient() *session {
	if !e.alive() || e.clients.logins == ha.GateClosed || e.loginsBlocked() {
		return nil
	}
	s := &session{e: e, open: true, most: e.clients.logins}
	e.clients.sessions = append(e.clients.sessions, s)
	e.clients.admitted = max(e.clients.admitted, s.most)
	return s
}

// alive tells whether the session has not been ended.
func (s *session) alive() bool { return s.open }

// write is one write over an open session.
func (s *session) write(id int64, done func(outcome)) {
	switch {
	case !s.open:
		done(outcomeRefused)
	case s.e.halted:
		done(outcomeUnknown)
	case s.e.process != primary:
		done(outcomeRefused) // a standby only reads
	default:
		s.e.execute(id, done)
	}
}

// write is one write in a session of its own.
func (e *engine) write(id int64, done func(outcome)) {
	switch {
	case e.halted && e.process == primary:
		done(outcomeUnknown)
	case e.process != primary || e.clients.logins != ha.GateOpen || e.loginsBlocked():
		done(outcomeRefused)
	default:
		e.execute(id, done)
	}
}

// execute writes an entry; the client hears of it when enough have it.
func (e *engine) execute(id int64, done func(outcome)) {
	if e.disk.full {
		done(outcomeRefused)
		return
	}
	index := e.append(id)
	c := &e.clients
	if c.head == len(c.waiting) {
		c.waiting, c.head = c.waiting[:0], 0
	}
	c.waiting = append(c.waiting, waitingWrite{e.data.log.length, index, e.w.clock, done})
	if e.flavour == sets && e.unkind().accounts && e.w.chance(300) {
		e.blockLogins()
	}
	e.flush()
}

// append writes one entry of the present branch.
func (e *engine) append(id int64) int64 {
	b := &e.w.history.branches[e.branch]
	index := b.at + int64(len(b.ids))
	b.ids = append(b.ids, id)
	e.data.log.add(seg{e.branch, index, index + 1})
	return index
}

// succeed answers everything that is acknowledged up to a length.
func (c *engineClients) succeed(e *engine, upTo int64) {
	for c.head < len(c.waiting) && c.waiting[c.head].length <= upTo {
		w := c.waiting[c.head]
		c.waiting[c.head].done = nil
		c.head++
		e.w.acknowledged(e, e.branch, w.index)
		w.done(outcomeOk)
	}
}

// cut ends all sessions: whoever waits learns nothing.
func (c *engineClients) cut() {
	waiting := c.waiting[c.head:]
	c.waiting, c.head = nil, 0
	for _, w := range waiting {
		w.done(outcomeUnknown)
	}
	for _, s := range c.sessions {
		s.open = false
	}
	c.sessions = c.sessions[:0]
}

// died is when no process is left that could answer.
func (c *engineClients) died(e *engine) {
	c.changes++
	c.cut()
	c.gate, c.logins, c.admitted, c.aim = ha.GateClosed, ha.GateClosed, ha.GateClosed, ha.GateClosed
	c.blockedTo = 0
}

// loginsBlocked tells whether a statement about accounts waits for its
// acknowledgement, and every login for that statement.
func (e *engine) loginsBlocked() bool {
	return e.process == primary && e.clients.blockedTo > e.acks.upTo
}

// blockLogins makes the newest entry a statement about accounts: no login works
// until it is acknowledged.
func (e *engine) blockLogins() {
	e.clients.blockedTo = e.data.log.length
	e.clients.blockedAt = e.w.clock
}
