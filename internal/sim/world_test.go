package sim

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

func TestSameSeedSameStory(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		var first, second strings.Builder
		a := Run(seed, 0, Teller(&first))
		b := Run(seed, 0, Teller(&second))
		c := Run(seed, 0, nil)
		if a != b || a.Hash != c.Hash {
			t.Errorf("seed %d ran differently: %+v, %+v, and without a story %+v", seed, a, b, c)
		}
		if diff := cmp.Diff(first.String(), second.String()); diff != "" {
			t.Errorf("seed %d told another story (-first +second):\n%s", seed, diff)
		}
	}
}

func TestEventsHappenInOrder(t *testing.T) {
	w := newWorld(1)
	var got []int
	for i, at := range []time.Duration{5, 3, 3, 9, 1, 3, 7} {
		w.at(at, func() { got = append(got, i) })
	}
	w.pods = make([]*pod, ha.MaxMembers)
	w.advance(8)
	if diff := cmp.Diff([]int{4, 1, 2, 5, 0, 6}, got); diff != "" {
		t.Errorf("wrong order (-want +got):\n%s", diff)
	}
	if w.now() != 8 {
		t.Errorf("it is %v, want 8ns", w.now())
	}
}

func TestClock(t *testing.T) {
	const second = time.Second
	c := clock{offset: 100 * second, rate: 20_000, still: -1}
	steps := []struct {
		what            string
		do              func()
		at              time.Duration
		monotonic, boot time.Duration
	}{
		{"it runs two percent fast", func() {}, 100 * second, 202 * second, 202 * second},
		{"it stands still", func() { c.stop(100 * second) }, 150 * second, 202 * second, 202 * second},
		{"nothing shows a stop from outside", func() { c.goOn(150*second, false) }, 250 * second, 304 * second, 304 * second},
		{"the second clock shows a suspension", func() { c.stop(250 * second); c.goOn(260*second, true) }, 260 * second, 304 * second, 314 * second},
	}
	for _, s := range steps {
		s.do()
		if got := c.now(s.at); got != s.monotonic {
			t.Errorf("%s: the clock shows %v, want %v", s.what, got, s.monotonic)
		}
		if got := c.boottime(s.at); got != s.boot {
			t.Errorf("%s: the second clock shows %v, want %v", s.what, got, s.boot)
		}
	}
}

// bareWorld has one pod and a register, and nothing that happens by itself.
func bareWorld() (*world, *pod) {
	w := newWorld(7)
	w.pods = make([]*pod, ha.MaxMembers)
	w.volumes = make([]*volume, ha.MaxMembers)
	w.uids = make([]int, ha.MaxMembers)
	w.createRegister(1)
	p := w.newPod(0, w.newVolume(0))
	w.pods[0] = p
	p.up, p.paused = true, 1 // what arrives stays in the inbox
	return w, p
}

// replies takes what the register has answered so far.
func replies(w *world, p *pod) []ha.Reply {
	w.advance(w.now() + 10*time.Second)
	var got []ha.Reply
	for _, in := range p.inbox {
		got = append(got, *in.reply)
	}
	p.inbox = nil
	return got
}

func TestRegisterSwapsOnlyWhatItHolds(t *testing.T) {
	w, p := bareWorld()
	w.read(p, 1)
	empty := replies(w, p)[0]
	if empty.Outcome != ha.Answered || empty.Bootstrap != 1 || empty.Record.Version != 0 {
		t.Fatalf("the new register answers %+v", empty)
	}
	first := ha.First("a1", ha.Fast)
	w.write(p, 2, empty.Object, first)
	written := replies(w, p)[0]
	if written.Outcome != ha.Answered || !written.Record.Equal(first) || written.Object.Number <= empty.Object.Number {
		t.Fatalf("the first write is answered by %+v", written)
	}
	w.write(p, 3, empty.Object, first.Claim("a1"))
	if got := replies(w, p)[0]; got.Outcome != ha.Conflicted {
		t.Errorf("a write over an old object is answered by %+v", got)
	}
	w.deleteRegister()
	w.write(p, 4, written.Object, first.Claim("a1"))
	if got := replies(w, p)[0]; got.Outcome != ha.Missing {
		t.Errorf("a write over no object is answered by %+v", got)
	}
	w.createRegister(0)
	w.write(p, 5, written.Object, first.Claim("a1"))
	if got := replies(w, p)[0]; got.Outcome != ha.Conflicted {
		t.Errorf("a write over an object of another uid is answered by %+v", got)
	}
	if !w.register.newest().Equal(first) {
		t.Errorf("the newest record is %v, want %v", w.register.newest(), first)
	}
}

func TestRegisterMayWriteWithoutAnAnswer(t *testing.T) {
	seen := map[ha.Outcome]bool{}
	for seed := range uint64(200) {
		w, p := bareWorld()
		w.rng.Uint64()
		for range seed {
			w.rng.Uint64()
		}
		w.register.forgets, w.register.late = 1, int(seed%2)
		w.write(p, 1, w.register.object, ha.First("a1", ha.Fast))
		got := replies(w, p)
		if len(got) != 1 {
			t.Fatalf("one call has %d replies", len(got))
		}
		if w.register.record.Version == 1 {
			seen[got[0].Outcome] = true
		}
	}
	for _, o := range []ha.Outcome{ha.Unanswered, ha.Answered, ha.Conflicted} {
		if !seen[o] {
			t.Errorf("no write that happened was answered with outcome %v", o)
		}
	}
}

func TestRestoredRegisterRefusesWhatWasUnderWay(t *testing.T) {
	w, p := bareWorld()
	w.write(p, 1, w.register.object, ha.First("a1", ha.Fast))
	replies(w, p)
	past := revision{w.register.object, w.register.record}
	w.write(p, 2, w.register.object, ha.First("a1", ha.Fast).Claim("a1"))
	replies(w, p)
	w.register.late = 1
	for w.write(p, 3, past.object, ha.First("a1", ha.Fast).Claim("b1")); len(w.events) < 2; {
		w.write(p, 3, past.object, ha.First("a1", ha.Fast).Claim("b1"))
	}
	w.restoreRegister(past)
	replies(w, p)
	if !w.register.record.Equal(past.record) || w.register.object != past.object {
		t.Errorf("the register holds %v, want %v", w.register.record, past.record)
	}
}

func TestLinks(t *testing.T) {
	arrived := func(set func(l *link)) int {
		w, p := bareWorld()
		q := w.newPod(1, w.newVolume(1))
		q.up, q.paused = true, 1
		w.pods[1] = q
		w.network.agents[0][1].latency = ms
		set(&w.network.agents[0][1])
		for range 1000 {
			w.send(p, 1, &ha.Message{})
		}
		w.advance(w.now() + 10*time.Second)
		return len(q.inbox)
	}
	if n := arrived(func(*link) {}); n < 990 || n > 1010 {
		t.Errorf("a good link brings %d of 1000", n)
	}
	if n := arrived(func(l *link) { l.cuts = 1 }); n != 0 {
		t.Errorf("a link that is cut brings %d of 1000", n)
	}
	if n := arrived(func(l *link) { l.lossy = 1 }); n < 750 || n > 950 {
		t.Errorf("a lossy link brings %d of 1000", n)
	}
}
