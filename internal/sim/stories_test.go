package sim

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the stories anew")

// TestStories plays the stories in testdata. Their commands are in
// stories_verbs_test.go, what is told of them comes from narrator_test.go.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("there are no stories")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { testStory(t, file) })
	}
}

func testStory(t *testing.T, file string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	told, err := parseScript(string(text))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	played := script{tail: told.tail}
	s := newStory()
	for _, st := range told.steps {
		st.output, err = s.play(st.command)
		played.steps = append(played.steps, st)
		if err != nil {
			t.Errorf("%s:%d: %s: %v\n%s", file, st.line, st.command, err, strings.Join(st.output, "\n"))
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(played.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(told.String(), "\n"), strings.Split(played.String(), "\n")); diff != "" {
		t.Errorf("%s tells another story (-told +played; -update writes it anew):\n%s", file, diff)
	}
}

// TestStoriesFail looks at what a story cannot say, and at what it says that is
// not so.
func TestStoriesFail(t *testing.T) {
	for name, commands := range map[string][]string{
		"nothing is there yet":              {"heal"},
		"there are no six members":          {"members 6 sets block"},
		"there is no such flavour":          {"members 2 rows block"},
		"there is no such policy":           {"members 2 sets hope"},
		"a Database begins once":            {"members 1 sets block", "start 1 sets block"},
		"there is no such verb":             {"members 1 sets block", "hope"},
		"there is no such pod":              {"members 1 sets block", "kill engine b"},
		"a pause needs an end":              {"members 1 sets block", "pause agent a"},
		"a photograph has to be taken":      {"members 1 sets block", "restore a"},
		"another one leads":                 {"members 2 sets block", "expect leader b"},
		"the rule is another":               {"members 2 sets block", "expect rule 1 of a"},
		"a member still serves":             {"members 2 sets block", "expect refused"},
		"writes did not succeed for long":   {"members 2 sets block", "cut a from b", "advance 2s", "expect gap below 1s"},
		"what is expected has another name": {"members 2 sets block", "expect miracles"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStory()
			for i, command := range commands {
				if _, err := s.play(command); (err != nil) != (i == len(commands)-1) {
					t.Errorf("%s: the error is %v", command, err)
				}
			}
		})
	}
}

// TestStoriesSeeLostWrites takes an acknowledged write out of the only log that
// is left.
func TestStoriesSeeLostWrites(t *testing.T) {
	s := newStory()
	for _, command := range []string{"members 1 timelines block", "photograph a", "advance 1s"} {
		if _, err := s.play(command); err != nil {
			t.Fatal(err)
		}
	}
	s.w.pods[0].engine.data = s.photographs[0].data
	if _, err := s.play("expect acknowledged"); err == nil {
		t.Error("nobody misses the writes of a second")
	}
}
