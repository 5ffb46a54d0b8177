package sabotage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/myuser/db-operator/internal/sim"
)

// at once on a machine of two processors.
const workers = 2

func TestEverySabotageIsCaught(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program and runs it for a minute")
	}
	program, err := Build(moduleRoot(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	table := Table()
	outcomes := make([]Outcome, len(table))
	free := make(chan struct{}, workers)
	var wait sync.WaitGroup
	for i, s := range table {
		if s.Alone {
			continue
		}
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			var err error
			outcomes[i], err = catch(program, s)
			if err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		})
	}
	wait.Wait()
	searchFinds(t, program)
	t.Log("\n" + draw(table, outcomes))
}

// searchFinds shows that the exhaustive search, which finds nothing in the
// honest code, would find what it can reach.
func searchFinds(t *testing.T, program string) {
	for _, name := range []string{
		"no-fence", "no-withhold-after-boot", "withhold-too-short", "opened-before-barrier", "weaker-rule-engine-first", "unknown-taken-as-done",
	} {
		o, err := execute(program, []string{name}, "-search")
		switch {
		case err != nil:
			t.Errorf("searching with %s: %v", name, err)
		case o.Broken == "":
			t.Errorf("the exhaustive search does not find %s in %d runs", name, o.Seeds)
		default:
			t.Logf("the exhaustive search finds %s in run %d: %s", name, o.Seeds, o.Broken)
		}
	}
}

// catch runs a sabotage until it is caught, and then the very same without it:
// that must break nothing. Where rules cover for each other, it looks for a seed
// that breaks only without all of them.
func catch(program string, s Sabotage) (Outcome, error) {
	var all Outcome
	for first := uint64(1); all.Seeds < s.Seeds; first = all.Last + 1 {
		o, err := run(program, s, first, s.Seeds-all.Seeds, s.Names())
		if err != nil {
			return o, err
		}
		all = Outcome{Seeds: all.Seeds + o.Seeds, Last: o.Last, Broken: o.Broken, Seconds: all.Seconds + o.Seconds}
		if o.Broken == "" {
			break
		}
		covered, err := honest(program, s, o.Last)
		if err != nil {
			return all, err
		}
		if covered == "" {
			return all, nil
		}
		if len(s.With) == 0 {
			return all, fmt.Errorf("seed %d breaks without any sabotage as well: %s", o.Last, covered)
		}
	}
	return all, fmt.Errorf("not caught in %d seeds: %s", all.Seeds, s.Rule)
}

// honest runs a seed with nothing broken or, where rules cover for each other,
// with each of them kept in turn, and tells what breaks even so.
func honest(program string, s Sabotage, seed uint64) (string, error) {
	sets := [][]string{nil}
	if names := s.Names(); len(names) > 1 {
		sets = nil
		for i := range names {
			sets = append(sets, slices.Concat(names[:i], names[i+1:]))
		}
	}
	for _, names := range sets {
		o, err := run(program, s, seed, 1, names)
		if err != nil || o.Broken != "" {
			return o.Broken, err
		}
	}
	return "", nil
}

func run(program string, s Sabotage, first uint64, seeds int, names []string) (Outcome, error) {
	return execute(program, names, "-case", s.Name, "-seed0", strconv.FormatUint(first, 10), "-seeds", strconv.Itoa(seeds))
}

// execute runs the saboteur with some names broken.
func execute(program string, names []string, args ...string) (Outcome, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), Environment+"="+strings.Join(names, ","))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return Outcome{}, fmt.Errorf("running the saboteur: %w\n%s", err, stderr.Bytes())
	}
	var o Outcome
	if err := json.Unmarshal(out, &o); err != nil {
		return Outcome{}, fmt.Errorf("reading the saboteur's answer: %w\n%s", err, out)
	}
	return o, nil
}

// draw makes the table that docs/ha.md shows.
func draw(table []Sabotage, outcomes []Outcome) string {
	var text strings.Builder
	out := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "sabotage\tseeds\tbroken\tseconds\twhat was broken")
	for i, s := range table {
		o := outcomes[i]
		seeds, letter := strconv.Itoa(o.Seeds), "-"
		switch {
		case s.Alone:
			seeds = "driver alone"
		case s.Scenario != "":
			seeds = "scenario, " + seeds
		}
		if o.Broken != "" {
			letter = o.Broken[:1]
		}
		fmt.Fprintf(out, "%s\t%s\t%s\t%.1f\t%s\n", strings.Join(s.Names(), " + "), seeds, letter, o.Seconds, o.Broken)
	}
	out.Flush()
	return text.String()
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTableIsSound(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(moduleRoot(t), "docs", "ha.md"))
	if err != nil {
		t.Fatal(err)
	}
	edits := &strings.Builder{}
	names := map[string]bool{}
	disobeyed := map[string]bool{}
	for _, s := range Table() {
		if names[s.Name] {
			t.Errorf("two sabotages are called %s", s.Name)
		}
		names[s.Name] = true
		disobeyed[s.Disobeyed] = true
		for _, e := range s.Edits {
			edits.WriteString(e.New)
		}
		if s.Rule == "" || s.From == "" || !s.Alone && (s.Breaks == "" || s.Seeds == 0) {
			t.Errorf("%s does not say what it is about", s.Name)
		}
		if s.From != "Engines" && !strings.Contains(string(doc), "**"+s.From) && !strings.Contains(string(doc), "## "+s.From) {
			t.Errorf("docs/ha.md has nothing called %q, where %s is said to come from", s.From, s.Name)
		}
	}
	for _, s := range Table() {
		if guard := `sabotaged("` + s.Name + `")`; s.Disobeyed == "" && !strings.Contains(edits.String(), guard) {
			t.Errorf("no edit asks %s", guard)
		}
	}
	for rule := range sim.EngineRules() {
		if !disobeyed[rule] {
			t.Errorf("nobody sabotages the engine rule %s", rule)
		}
	}
}

func TestApplyingEdits(t *testing.T) {
	for name, c := range map[string]struct {
		edits   []Edit
		want    string
		failure string
	}{
		"edits are made in the text as it was": {
			edits: []Edit{{"", "three", "one"}, {"", "one", "three"}}, want: "three two one two",
		},
		"a text that is gone is an error":            {edits: []Edit{{"", "four", ""}}, failure: "0 times"},
		"a text that stands there twice is an error": {edits: []Edit{{"", "two", ""}}, failure: "2 times"},
		"two edits of one place are an error": {
			edits: []Edit{{"", "one two", ""}, {"", "two three", ""}}, failure: "two sabotages",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := apply("one two three two", c.edits)
			switch {
			case c.failure == "" && (err != nil || got != c.want):
				t.Errorf("got %q, %v; want %q", got, err, c.want)
			case c.failure != "" && (err == nil || !strings.Contains(err.Error(), c.failure)):
				t.Errorf("got %v; want an error with %q", err, c.failure)
			}
		})
	}
}
