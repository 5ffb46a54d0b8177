package ha_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
)

func TestAFirstRecordIsClaimedByItsMember(t *testing.T) {
	first := ha.First("a", "fast")
	want := ha.Record{Version: 1, Rule: ha.Rule{Members: []string{"a"}, Acks: 1}, Profile: "fast"}
	if diff := cmp.Diff(want, first); diff != "" {
		t.Error(diff)
	}
	if err := first.Validate(); err != nil {
		t.Error(err)
	}
	claim := first.Claim("a")
	want.Version, want.Term, want.Leader = 2, 1, "a"
	if diff := cmp.Diff(want, claim); diff != "" {
		t.Error(diff)
	}
	if err := claim.Validate(); err != nil {
		t.Error(err)
	}
	if first.Leader != "" || first.Term != 0 {
		t.Errorf("claiming changed the record it began with: %s", first)
	}
}

func TestRuleNames(t *testing.T) {
	two := ha.Rule{Members: []string{"a", "b"}, Acks: 2}
	one := ha.Rule{Members: []string{"a"}, Acks: 1}
	if !two.Names("b") || two.Names("c") || two.Names("") {
		t.Error("two members: names the wrong ones")
	}
	if two.Alone("a") || !one.Alone("a") || one.Alone("b") || (ha.Rule{}).Alone("") {
		t.Error("alone is who is the only member")
	}
}

func TestValidateNamesWhatNoWriterMakes(t *testing.T) {
	good := ha.Record{Version: 5, Term: 2, Leader: "b", Rule: ha.Rule{Members: []string{"a", "b", "c"}, Acks: 2}}
	if err := good.Validate(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		change func(*ha.Record)
		reason string
	}{
		"no version":              {func(r *ha.Record) { r.Version = 0 }, "version 0"},
		"a negative term":         {func(r *ha.Record) { r.Term = -1 }, "term -1"},
		"no members":              {func(r *ha.Record) { r.Members = nil }, "no member"},
		"members out of order":    {func(r *ha.Record) { r.Members = []string{"b", "a", "c"} }, "not sorted"},
		"a member twice":          {func(r *ha.Record) { r.Members = []string{"a", "b", "b"} }, "twice"},
		"a member without a uid":  {func(r *ha.Record) { r.Members = []string{"", "b", "c"} }, "uid"},
		"nobody acknowledges":     {func(r *ha.Record) { r.Acks = 0 }, "0 of 3"},
		"more than there are":     {func(r *ha.Record) { r.Acks = 4 }, "4 of 3"},
		"a leader from elsewhere": {func(r *ha.Record) { r.Leader = "d" }, `"d"`},
		"a leader of no term":     {func(r *ha.Record) { r.Term = 0 }, "no term"},
	} {
		t.Run(name, func(t *testing.T) {
			r := good
			r.Members = append([]string(nil), good.Members...)
			c.change(&r)
			if err := r.Validate(); err == nil || !strings.Contains(err.Error(), c.reason) {
				t.Errorf("%v, want an error with %q", err, c.reason)
			}
		})
	}
}

func TestRecordsAreReadAsTheyWereWritten(t *testing.T) {
	r := ha.Record{Version: 5, Term: 2, Leader: "b", Rule: ha.Rule{Members: []string{"a", "b"}, Acks: 2}, Profile: "far"}
	const text = `{"version":5,"term":2,"leader":"b","members":["a","b"],"acks":2,"profile":"far"}`
	if got := r.Encode(); got != text {
		t.Errorf("written as %s", got)
	}
	got, err := ha.ParseRecord(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(r, got); diff != "" {
		t.Error(diff)
	}
	if got := r.String(); got != "v5 t2 b leads 2 of [a b]" {
		t.Errorf("drawn as %s", got)
	}
}

func TestParseRecordRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                "",
		"an empty object":        "{}",
		"another type":           `{"version":"5"}`,
		"a number out of range":  `{"version":1e30,"members":["a"],"acks":1}`,
		"something after it":     `{"version":1,"members":["a"],"acks":1} {}`,
		"a list":                 `[]`,
		"null":                   `null`,
		"a record of no members": `{"version":1,"acks":1}`,
	} {
		if r, err := ha.ParseRecord(text); err == nil {
			t.Errorf("%s: read as %s", name, r)
		}
	}
}

func FuzzParseRecord(f *testing.F) {
	f.Add(ha.First("a", "fast").Encode())
	f.Add(ha.First("a", "").Claim("a").Encode())
	f.Add(`{"version":5,"term":2,"leader":"b","members":["a","b"],"acks":2}`)
	f.Add(`{"VERSION":1,"members":["é"],"acks":1,"other":[{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ha.ParseRecord(text)
		if err != nil {
			return
		}
		if err := r.Validate(); err != nil {
			t.Fatalf("%q is read as a record that is not valid: %v", text, err)
		}
		again, err := ha.ParseRecord(r.Encode())
		if err != nil {
			t.Fatalf("%s is written as %s: %v", r, r.Encode(), err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatalf("%q changes when it is written and read:\n%s", text, diff)
		}
	})
}
