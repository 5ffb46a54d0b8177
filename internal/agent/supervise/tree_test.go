package supervise

import (
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestBelow(t *testing.T) {
	one := func(pid, parent int) process { return process{pid: pid, parent: parent, state: 'S', threads: 1} }
	dead := func(pid, parent, threads int) process {
		return process{pid: pid, parent: parent, state: 'Z', threads: threads}
	}
	for name, c := range map[string]struct {
		all  []process
		want []int
	}{
		"nothing below":                        {[]process{one(1, 0)}, nil},
		"children and their children":          {[]process{one(1, 0), one(5, 4), one(4, 1)}, []int{4, 5}},
		"a process from outside is spared":     {[]process{one(1, 0), one(4, 0), one(5, 4)}, nil},
		"the guardian and its tree are spared": {[]process{one(1, 0), one(9, 1), one(10, 9), one(4, 1)}, []int{4}},
		"a zombie does not count":              {[]process{one(1, 0), dead(4, 1, 1)}, nil},
		"what is below a zombie counts":        {[]process{one(1, 0), dead(4, 1, 1), one(5, 4)}, []int{5}},
		"a zombie with living threads counts":  {[]process{one(1, 0), dead(4, 1, 3)}, []int{4}},
		"a loop in a torn table ends":          {[]process{one(1, 0), one(4, 5), one(5, 4), one(6, 1)}, []int{6}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []int
			for _, p := range below(c.all, 1, map[int]bool{9: true}) {
				got = append(got, p.pid)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("below (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookFindsThisProcess(t *testing.T) {
	p, ok := look(os.Getpid())
	if !ok || p.pid != os.Getpid() || p.parent != os.Getppid() || p.start == 0 || p.threads < 1 {
		t.Errorf("look found %+v, %v", p, ok)
	}
}

func FuzzParseStat(f *testing.F) {
	own, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(own)
	f.Add([]byte("12 (a) b (c) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21"))
	f.Add([]byte(")("))
	f.Fuzz(func(t *testing.T, stat []byte) {
		p, ok := parseStat(stat)
		if ok && fmt.Sprint(p) == "" {
			t.Error("a parsed process has no text")
		}
	})
}
