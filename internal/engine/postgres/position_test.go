package postgres

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

func TestPositionCompare(t *testing.T) {
	on2 := func(lsn LSN) Position { return Position{2, lsn, []Switch{{1, 100}}} }
	for name, c := range map[string]struct {
		p, q Position
		want ha.Order
	}{
		"the same place":                                 {Position{1, 50, nil}, Position{1, 50, nil}, ha.Equal},
		"further on one timeline":                        {Position{1, 51, nil}, Position{1, 50, nil}, ha.Ahead},
		"an ancestor before the switch":                  {Position{1, 90, nil}, on2(120), ha.Behind},
		"an ancestor at the switch":                      {Position{1, 100, nil}, on2(120), ha.Behind},
		"an ancestor at the switch, nothing after it":    {Position{1, 100, nil}, on2(100), ha.Equal},
		"an ancestor past the switch":                    {Position{1, 101, nil}, on2(120), ha.Diverged},
		"a child that wrote nothing":                     {Position{1, 101, nil}, on2(100), ha.Ahead},
		"siblings":                                       {Position{3, 120, []Switch{{1, 100}}}, on2(120), ha.Diverged},
		"siblings that wrote nothing":                    {Position{3, 100, []Switch{{1, 100}}}, on2(100), ha.Equal},
		"a grandchild":                                   {Position{3, 130, []Switch{{1, 100}, {2, 125}}}, on2(125), ha.Ahead},
		"a grandchild that left earlier":                 {Position{3, 130, []Switch{{1, 100}, {2, 110}}}, on2(125), ha.Diverged},
		"histories that differ before the last timeline": {Position{3, 130, []Switch{{1, 90}, {2, 110}}}, Position{3, 130, []Switch{{1, 100}, {2, 110}}}, ha.Diverged},
		"one timeline, no history known":                 {Position{7, 10, nil}, Position{7, 20, nil}, ha.Behind},
		"no history of the earlier one":                  {Position{2, 110, nil}, Position{3, 130, []Switch{{1, 100}, {2, 125}}}, ha.Behind},
		"no history of the later one":                    {Position{3, 110, nil}, on2(125), ha.Unknown},
		"no history of both":                             {Position{3, 110, nil}, Position{2, 125, nil}, ha.Unknown},
		"a position that no server has":                  {Position{2, 50, []Switch{{1, 100}}}, on2(125), ha.Unknown},
		"no timeline":                                    {Position{}, Position{}, ha.Unknown},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.p.Compare(c.q); got != c.want {
				t.Errorf("Compare = %s, want %s", got, c.want)
			}
			if got := c.q.Compare(c.p); got != c.want.Reverse() {
				t.Errorf("the other way round = %s, want %s", got, c.want.Reverse())
			}
		})
	}
	if got := (Position{1, 1, nil}).Compare(nil); got != ha.Unknown {
		t.Errorf("Compare(nil) = %s", got)
	}
}

// bytesOf tells for each byte of the log which timeline wrote it. Two logs are
// one exactly where these agree.
func bytesOf(p Position) []uint32 {
	var bytes []uint32
	for _, s := range p.chain() {
		for LSN(len(bytes)) < s.At {
			bytes = append(bytes, s.Timeline)
		}
	}
	return bytes
}

func orderOf(a, b []uint32) ha.Order {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	switch {
	case n == len(a) && n == len(b):
		return ha.Equal
	case n == len(b):
		return ha.Ahead
	case n == len(a):
		return ha.Behind
	default:
		return ha.Diverged
	}
}

// logs makes a random family of logs by writing and promoting, each promotion
// under a number of its own.
func logs(r *rand.Rand) []Position {
	all := []Position{{Timeline: 1, LSN: 1}}
	next := uint32(2)
	for range 12 {
		p := all[r.IntN(len(all))]
		p.History = slices.Clone(p.History)
		switch r.IntN(3) {
		case 0:
			p.LSN += LSN(r.IntN(4))
		case 1: // a member that has received less
			floor := LSN(1)
			if len(p.History) > 0 {
				floor = p.History[len(p.History)-1].At
			}
			p.LSN = floor + LSN(r.Int64N(int64(p.LSN-floor)+1))
		default:
			p.History = append(p.History, Switch{p.Timeline, p.LSN})
			p.Timeline, p.LSN = next, p.LSN+LSN(r.IntN(3))
			next++
		}
		all = append(all, p)
	}
	return all
}

func TestPositionCompareAgreesWithTheBytes(t *testing.T) {
	for seed := range uint64(500) {
		all := logs(rand.New(rand.NewPCG(seed, 1)))
		for _, p := range all {
			for _, q := range all {
				want := orderOf(bytesOf(p), bytesOf(q))
				if got := p.Compare(q); got != want {
					t.Fatalf("seed %d: %+v is %s to %+v, want %s", seed, p, got, q, want)
				}
				// Knowing less never gives another answer, only none.
				bare := Position{p.Timeline, p.LSN, nil}
				if got := bare.Compare(q); got != want && got != ha.Unknown {
					t.Fatalf("seed %d: without history %+v is %s to %+v, want %s", seed, p, got, q, want)
				}
			}
		}
	}
}

func TestPositionOrderIsTransitive(t *testing.T) {
	within := func(o ha.Order) bool { return o == ha.Behind || o == ha.Equal }
	for seed := range uint64(100) {
		all := logs(rand.New(rand.NewPCG(seed, 2)))
		for _, p := range all {
			for _, q := range all {
				for _, r := range all {
					if within(p.Compare(q)) && within(q.Compare(r)) && !within(p.Compare(r)) {
						t.Fatalf("seed %d: %v ⊆ %v ⊆ %v, but not %v ⊆ %v", seed, p, q, r, p, r)
					}
				}
			}
		}
	}
}

func FuzzPositionCompare(f *testing.F) {
	f.Add(uint32(1), uint64(5), "", uint32(2), uint64(7), "1 0/5 x\n")
	f.Add(uint32(3), uint64(5), "1 0/3 x\n2 0/4 x", uint32(2), uint64(7), "1 0/5 x\n")
	f.Fuzz(func(t *testing.T, tp uint32, lp uint64, hp string, tq uint32, lq uint64, hq string) {
		historyP, _ := ParseHistory(hp)
		historyQ, _ := ParseHistory(hq)
		p, q := Position{tp, LSN(lp), historyP}, Position{tq, LSN(lq), historyQ}
		if got, back := p.Compare(q), q.Compare(p); got != back.Reverse() {
			t.Fatalf("%+v is %s to %+v, which is %s to it", p, got, q, back)
		}
		if got := p.Compare(p); p.valid() && got != ha.Equal {
			t.Fatalf("%+v is %s to itself", p, got)
		}
	})
}

func FuzzParseLSN(f *testing.F) {
	for _, seed := range []string{"0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF", "0/016B3748", "/", "1", "0/-1", "0x1/2", "+1/2", "1/2/3", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lsn, err := ParseLSN(text)
		if err != nil {
			return
		}
		if again, err := ParseLSN(lsn.String()); err != nil || again != lsn {
			t.Fatalf("%q is %v, which reads as %v, %v", text, lsn, again, err)
		}
	})
}

func TestParseLSN(t *testing.T) {
	for text, want := range map[string]LSN{"0/0": 0, "16/B374D848": 0x16B374D848, "ffffffff/FFFFFFFF": 1<<64 - 1} {
		if got, err := ParseLSN(text); err != nil || got != want {
			t.Errorf("ParseLSN(%q) = %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "/", "1/", "/1", "1", "0/123456789", "g/1", "1/2/3", "-1/2", "+1/2", " 1/2", "0x1/2", "1_0/2"} {
		if got, err := ParseLSN(text); err == nil {
			t.Errorf("ParseLSN(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzParseHistory(f *testing.F) {
	f.Add("1\t0/5000000\tno recovery target specified\n")
	f.Add("# a comment\n\n1\t0/3\n2\t0/4\tx\n")
	f.Add("2\t0/3\n1\t0/4\n")
	f.Fuzz(func(t *testing.T, text string) {
		history, err := ParseHistory(text)
		if err == nil && !growing(history) {
			t.Fatalf("%q is read as %v", text, history)
		}
	})
}

func TestParseHistory(t *testing.T) {
	got, err := ParseHistory("1\t0/5000000\tno recovery target specified\n\n2\t1/A0\tat a time\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Switch{{1, 0x5000000}, {2, 0x1000000A0}}, got); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{
		"no position":                  "1\n",
		"a timeline that is no number": "x\t0/1\n",
		"timelines that do not grow":   "2\t0/1\n2\t0/2\n",
		"positions that fall":          "1\t0/2\n2\t0/1\n",
		"timeline 0":                   "0\t0/2\n",
	} {
		if got, err := ParseHistory(text); err == nil {
			t.Errorf("%s: %v, want an error", name, got)
		}
	}
}
