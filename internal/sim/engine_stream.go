package sim

import (
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// conn carries the log from a leader's engine to a follower's, and back how
// far it is flushed there.
type conn struct {
	from, to *engine
	uid      string // whom the follower says it is
	counted  bool   // sets: its acknowledgements are asked for
	alive    bool
	since    time.Duration
	cursor   int64 // leader's length up to which the follower has it
	upTo     int64 // of the delivery in flight
	flight   bool
	acked    int64 // leader's length that the follower has flushed, as heard
	acking   bool  // an acknowledgement is on its way back
	ackUpTo  int64
	silent   time.Duration // since when nothing gets through; 0: it does
	killed   bool          // told to end, and not gone yet

	deliver, answered func()
}

// receiver is a standby's end: it connects, and connects again, by itself.
type receiver struct {
	on     bool
	tries  int // whoever tries under an older number has been told to stop
	source ha.Source
	conn   *conn
	semi   bool // sets: it offers to acknowledge
}

// connTimeout is how long a silent connection is kept.
const connTimeout = 5 * time.Second

// stop ends the receiver and its connection.
func (r *receiver) stop() {
	r.on = false
	r.tries++
	if r.conn != nil {
		r.conn.close()
	}
}

// lost is told when a connection has ended.
func (r *receiver) lost(c *conn) {
	if r.conn == c {
		r.conn = nil
		if r.on {
			c.to.reconnect()
		}
	}
}

// close ends the connection for both sides.
func (c *conn) close() {
	if !c.alive {
		return
	}
	c.alive = false
	from := c.from
	for i, o := range from.conns {
		if o == c {
			from.conns = append(from.conns[:i], from.conns[i+1:]...)
			break
		}
	}
	c.to.receiver.lost(c)
}

// receive starts the receiver.
func (e *engine) receive(s ha.Source) {
	e.receiver.stop()
	e.receiver.on = true
	e.receiver.source = s
	e.tryConnect(e.receiver.tries)
}

// reconnect tries again in a while.
func (e *engine) reconnect() {
	e.receiver.tries++
	tries := e.receiver.tries
	e.w.after(e.w.between(100*ms, 300*ms), func() { e.tryConnect(tries) })
}

func (e *engine) tryConnect(tries int) {
	r := &e.receiver
	if tries != r.tries || !r.on || r.conn != nil || e.process != standby {
		return
	}
	switch leader := e.w.engine(r.source.Ordinal); {
	case !e.reaches(leader) || leader.process != primary:
		e.reconnect()
	case e.flavour == timelines && e.w.clock < e.stallTo:
		e.reconnect() // a receiver comes only when all that is there is replayed
	case e.obeys(pinsSession) && (leader.session != r.source.Session || leader.uid != r.source.UID):
		e.reconnect()
	case e.flavour == sets && leader.refusesAccount(e):
		e.learnSemi(leader)
		e.reconnect()
	default:
		e.connect(leader)
	}
}

// reaches tells whether a conversation with another engine is possible.
func (e *engine) reaches(o *engine) bool {
	if o == nil || o == e || !o.alive() || !e.alive() {
		return false
	}
	_, there := e.w.engineLink(e.ordinal, o.ordinal)
	_, back := e.w.engineLink(o.ordinal, e.ordinal)
	return there && back
}

// connect is a login that was accepted: now the engines themselves look
// whether the logs fit, as far as they do that.
func (e *engine) connect(leader *engine) {
	if !leader.canFeed(e) {
		if e.obeys(tellsUnfed) {
			e.driver.cannotContinue(e)
		} else {
			e.reconnect()
		}
		return
	}
	c := &conn{from: leader, to: e, uid: e.uid, counted: e.receiver.semi, alive: true, since: e.w.clock}
	c.deliver, c.answered = c.delivered, c.acknowledged
	e.data.torn = false
	if e.flavour == timelines {
		c.cursor = e.data.log.length
	}
	if e.obeys(slotPerMember) {
		for _, o := range leader.conns {
			if o.uid == c.uid {
				o.close()
				break
			}
		}
	}
	e.receiver.conn = c
	leader.conns = append(leader.conns, c)
	if e.flavour == sets && leader.acks.lets(c.uid) != c.counted {
		e.learnSemi(leader)
	}
	c.push()
	if e.flavour == timelines || !e.unkind().lostAcks {
		c.ack()
	}
}

// canFeed is what the engines find out between themselves. Timelines: whether
// the log asked for is in this history. Sets: only whether it is still there.
func (e *engine) canFeed(follower *engine) bool {
	mine := e.data.image(e, e.data.flushed)
	theirs := follower.data.image(follower, follower.data.log.length)
	if e.flavour == sets {
		return e.data.purged == 0 || e.data.image(e, e.data.purged).within(theirs)
	}
	order := theirs.Compare(mine)
	return (order == ha.Equal || order == ha.Behind) && theirs.length >= e.data.purged
}

// push sends what is flushed and was not sent.
func (c *conn) push() {
	if !c.alive || c.flight || c.cursor == c.from.data.flushed {
		return
	}
	c.flight = true
	c.upTo = c.from.data.flushed
	latency, _ := c.from.w.engineLink(c.from.ordinal, c.to.ordinal)
	took := c.travel(latency) + c.to.flushTime()
	if behind := c.upTo - c.cursor; behind > 50 && c.from.unkind().slowCatchUp {
		took += time.Duration(behind) * ms
	}
	c.from.w.after(took, c.deliver)
}

// travel is how long one packet takes.
func (c *conn) travel(latency time.Duration) time.Duration {
	return latency + time.Duration(c.from.w.rng.Int64N(int64(latency/4)+1))
}

// stillCut notes whether one direction is cut, and gives up after a while.
func (c *conn) stillCut(from, to *engine, again func()) bool {
	w := c.from.w
	if _, up := w.engineLink(from.ordinal, to.ordinal); up {
		c.silent = 0
		return false
	}
	if c.silent == 0 {
		c.silent = w.clock
	}
	if w.clock-c.silent > connTimeout {
		c.close()
		return true
	}
	w.after(100*ms, again)
	return true
}

// delivered is when the follower has written and flushed what was sent.
func (c *conn) delivered() {
	to := c.to
	switch {
	case !c.alive:
		return
	case to.halted:
		to.thawed = append(to.thawed, c.deliver)
		return
	case to.disk.hung:
		to.disk.freed = append(to.disk.freed, c.deliver)
		return
	case to.disk.full:
		c.from.w.after(200*ms, c.deliver)
		return
	case c.stillCut(c.from, to, c.deliver):
		return
	}
	c.flight = false
	before := to.data.log.length
	to.data.append(c, c.upTo)
	c.cursor = c.upTo
	if to.obeys(flushesBeforeAck) {
		to.data.flushed = to.data.log.length
	} else {
		to.flushLater()
	}
	if to.data.log.length > before || !to.unkind().lostAcks {
		c.ack()
	}
	if to.unkind().replayConflicts && to.w.chance(400) {
		to.stallReplay(to.w.between(0, 3*time.Second))
	}
	c.push()
}

// flushLater is a follower that acknowledges what only its memory holds.
func (e *engine) flushLater() {
	if e.disk.flushing {
		return
	}
	e.disk.flushing = true
	e.disk.upTo = e.data.log.length
	life := e.life
	e.w.after(e.w.between(500*ms, 2*time.Second), func() { e.flushDone(life) })
}

// ack tells the leader how far the follower has got.
func (c *conn) ack() {
	if c.acking {
		return
	}
	c.acking = true
	c.ackUpTo = c.cursor
	latency, _ := c.from.w.engineLink(c.to.ordinal, c.from.ordinal)
	took := c.travel(latency)
	if c.from.flavour == sets && c.from.unkind().lostAcks {
		took = max(took, c.since+time.Second-c.from.w.clock)
	}
	c.from.w.after(took, c.answered)
}

func (c *conn) acknowledged() {
	from := c.from
	switch {
	case !c.alive:
		return
	case from.halted:
		from.thawed = append(from.thawed, c.answered)
		return
	case c.stillCut(c.to, from, c.answered):
		return
	}
	c.acking = false
	c.acked = max(c.acked, c.ackUpTo)
	from.release()
	if c.alive && c.ackUpTo < c.cursor {
		c.ack()
	}
}
