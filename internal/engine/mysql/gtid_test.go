package mysql

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

const (
	uuidA = "3e11fa47-71ca-11e1-9e33-c80aa9429562"
	uuidB = "4e11fa47-71ca-11e1-9e33-c80aa9429562"
)

func TestParseSetWritesCanonicalText(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"nothing":                                {" \n", ""},
		"one number":                             {uuidA + ":1", uuidA + ":1"},
		"intervals are sorted and joined":        {uuidA + ":7:1-3:4-5", uuidA + ":1-5:7"},
		"overlaps are joined":                    {uuidA + ":1-5:3-9", uuidA + ":1-9"},
		"a server named twice":                   {uuidA + ":1," + uuidA + ":2", uuidA + ":1-2"},
		"capitals and line breaks":               {strings.ToUpper(uuidB) + ":1-2,\n" + uuidA + " : 5 - 6", uuidA + ":5-6," + uuidB + ":1-2"},
		"tags come after the untagged":           {uuidA + ":zeta:1:alpha:2-3:5," + uuidA + ":9", uuidA + ":9:alpha:2-3:5:zeta:1"},
		"a tag of one server is not another's":   {uuidA + ":x:1," + uuidB + ":2", uuidA + ":x:1," + uuidB + ":2"},
		"the largest number that is given out":   {uuidA + ":9223372036854775806", uuidA + ":9223372036854775806"},
		"empty parts, as old servers wrote them": {"," + uuidA + ":1,", uuidA + ":1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseSet(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != c.want {
				t.Errorf("ParseSet(%q) = %s, want %s", c.text, got, c.want)
			}
		})
	}
}

func TestParseSetRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"no interval":           uuidA,
		"an empty interval":     uuidA + ":",
		"a tag alone":           uuidA + ":tag",
		"a tag at the end":      uuidA + ":1:tag",
		"zero":                  uuidA + ":0",
		"too large a number":    uuidA + ":9223372036854775807",
		"backwards":             uuidA + ":5-3",
		"a negative number":     uuidA + ":-3",
		"half a UUID":           uuidA[:20] + ":1",
		"MariaDB's notation":    "0-1-100",
		"a tag with a dash":     uuidA + ":a-b:1",
		"a tag of 33 letters":   uuidA + ":" + strings.Repeat("a", 33) + ":1",
		"words without meaning": "uncertain",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := ParseSet(text); err == nil {
				t.Errorf("ParseSet(%q) = %s", text, got)
			}
		})
	}
}

func TestCompare(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want ha.Order
	}{
		"both empty":                      {"", "", ha.Equal},
		"the same, written otherwise":     {uuidA + ":1-3", uuidA + ":1:2:3", ha.Equal},
		"more of one server":              {uuidA + ":1-4", uuidA + ":1-3", ha.Ahead},
		"less of one server":              {uuidA + ":1-3", uuidA + ":1-4", ha.Behind},
		"another server's as well":        {uuidA + ":1-3," + uuidB + ":1", uuidA + ":1-3", ha.Ahead},
		"each has what the other lacks":   {uuidA + ":1-3", uuidA + ":1-2:4", ha.Diverged},
		"equal counts of other servers":   {uuidA + ":1-3", uuidB + ":1-3", ha.Diverged},
		"a tag is not the untagged":       {uuidA + ":x:1", uuidA + ":1", ha.Diverged},
		"a hole in the middle is filled":  {uuidA + ":1-9", uuidA + ":1-4:6-9", ha.Ahead},
		"many servers, one number behind": {uuidA + ":1-9:t:1-4," + uuidB + ":1", uuidA + ":1-9:t:1-5," + uuidB + ":1", ha.Behind},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := mustParse(t, c.a), mustParse(t, c.b)
			if got := a.Compare(b); got != c.want {
				t.Errorf("(%s).Compare(%s) = %s, want %s", a, b, got, c.want)
			}
			if got := b.Compare(a); got != c.want.Reverse() {
				t.Errorf("(%s).Compare(%s) = %s, want %s", b, a, got, c.want.Reverse())
			}
		})
	}
}

type foreignLog struct{}

func (foreignLog) Compare(ha.Log) ha.Order { return ha.Equal }
func (foreignLog) String() string          { return "" }

func TestCompareWithAnotherEnginesLogIsUnknown(t *testing.T) {
	for _, other := range []ha.Log{nil, foreignLog{}} {
		if got := (Set{}).Compare(other); got != ha.Unknown {
			t.Errorf("Compare(%v) = %s, want unknown", other, got)
		}
	}
}

func TestBarrier(t *testing.T) {
	text, err := BarrierGTID(uuidA, ha.Session{Term: 3, Incarnation: 5})
	if err != nil || text != uuidA+":50331653" {
		t.Fatalf("BarrierGTID = %s, %v", text, err)
	}
	s := mustParse(t, uuidB+":1-9,"+uuidA+":16777217:x:99999999,"+text)
	if got, want := s.NewestSession(uuidA), (ha.Session{Term: 3, Incarnation: 5}); got != want {
		t.Errorf("NewestSession = %s, want %s", got, want)
	}
	if got := s.NewestSession("5e11fa47-71ca-11e1-9e33-c80aa9429562"); got != (ha.Session{}) {
		t.Errorf("NewestSession of another cluster = %s, want none", got)
	}
	for name, bad := range map[string]struct {
		uid string
		s   ha.Session
	}{
		"no UUID":               {"x", ha.Session{Term: 1}},
		"no term":               {uuidA, ha.Session{Term: 0, Incarnation: 1}},
		"too many incarnations": {uuidA, ha.Session{Term: 1, Incarnation: 1 << 24}},
		"too high a term":       {uuidA, ha.Session{Term: 1 << 40}},
	} {
		if got, err := BarrierGTID(bad.uid, bad.s); err == nil {
			t.Errorf("%s: BarrierGTID = %s", name, got)
		}
	}
}

// model is a set as a list of every single GTID.
type model map[string]bool

func (m model) union(o model) model {
	out := maps.Clone(m)
	maps.Copy(out, o)
	return out
}

func (m model) subtract(o model) model {
	out := model{}
	for g := range m {
		if !o[g] {
			out[g] = true
		}
	}
	return out
}

func (m model) set(t *testing.T) Set {
	t.Helper()
	return mustParse(t, strings.Join(slices.Collect(maps.Keys(m)), ","))
}

func (m model) compare(o model) ha.Order {
	more, less := len(m.subtract(o)) > 0, len(o.subtract(m)) > 0
	switch {
	case more && less:
		return ha.Diverged
	case more:
		return ha.Ahead
	case less:
		return ha.Behind
	}
	return ha.Equal
}

func randomModel(r *rand.Rand) model {
	m := model{}
	for range r.IntN(24) {
		server := [...]string{uuidA, uuidB}[r.IntN(2)]
		tag := [...]string{"", "", ":one", ":two"}[r.IntN(4)]
		m[fmt.Sprintf("%s%s:%d", server, tag, 1+r.IntN(8))] = true
	}
	return m
}

func TestSetsBehaveLikeListsOfSingleNumbers(t *testing.T) {
	for seed := range uint64(3000) {
		r := rand.New(rand.NewPCG(seed, 1))
		ma, mb, mc := randomModel(r), randomModel(r), randomModel(r)
		a, b, c := ma.set(t), mb.set(t), mc.set(t)
		same := func(law string, got, want Set) {
			t.Helper()
			if got.String() != want.String() || got.Compare(want) != ha.Equal {
				t.Fatalf("seed %d: %s: got %s, want %s", seed, law, got, want)
			}
		}
		same("union as a list", a.Union(b), ma.union(mb).set(t))
		same("subtract as a list", a.Subtract(b), ma.subtract(mb).set(t))
		same("union commutes", a.Union(b), b.Union(a))
		same("union associates", a.Union(b).Union(c), a.Union(b.Union(c)))
		same("union with itself", a.Union(a), a)
		same("subtracting a union", a.Subtract(b.Union(c)), a.Subtract(b).Subtract(c))
		same("what was subtracted comes back", a.Subtract(b).Union(b), a.Union(b))
		same("subtracting itself", a.Subtract(a), Set{})
		same("reading what was written", mustParse(t, a.String()), a)
		if got, want := a.Compare(b), ma.compare(mb); got != want {
			t.Fatalf("seed %d: (%s).Compare(%s) = %s, want %s", seed, a, b, got, want)
		}
		if !a.Union(b).Contains(a) || !a.Contains(a.Subtract(c)) {
			t.Fatalf("seed %d: inclusion does not hold for %s, %s, %s", seed, a, b, c)
		}
	}
}

func FuzzParseSet(f *testing.F) {
	f.Add(uuidA + ":1-5:7:tag:1-3," + uuidB + ":9")
	f.Add("x:1")
	f.Add(uuidA + ":9223372036854775806:1-9223372036854775806")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSet(text)
		if err != nil {
			return
		}
		again, err := ParseSet(s.String())
		if err != nil {
			t.Fatalf("%q is written as %q, which cannot be read: %v", text, s, err)
		}
		if diff := cmp.Diff(s, again, cmp.AllowUnexported(Set{}, source{}, interval{})); diff != "" {
			t.Errorf("%q changes when it is written and read: %s", text, diff)
		}
		if s.Compare(again) != ha.Equal || !s.Subtract(again).Empty() {
			t.Errorf("%q does not equal itself", text)
		}
	})
}

func mustParse(t *testing.T, text string) Set {
	t.Helper()
	s, err := ParseSet(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
