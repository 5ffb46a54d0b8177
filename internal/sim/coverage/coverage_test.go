// Package coverage shows that the simulator's seeds run every path of
// internal/ha. A path that never runs is a rule that nothing tests.
package coverage

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	pure    = "github.com/myuser/db-operator/internal/ha"
	program = "github.com/myuser/db-operator/internal/sim/simulate" // what is not covered writes no profile
	seeds   = 4000
)

// elsewhere are the files whose paths other tests run, with where.
var elsewhere = map[string]string{
	"order.go":    "the package's own tests; String is for people",
	"record.go":   "the package's own tests: parsing and validating",
	"timing.go":   "the package's own tests: Validate; seeds use few of the profiles",
	"position.go": "the package's own tests",
	"session.go":  "the package's own tests",
	"engine.go":   "the package's own tests: String and Meanwhile",
	"rule.go":     "the package's own tests",
	"state.go":    "String is for people",
}

// block is one straight piece of code.
var block = regexp.MustCompile(`^` + pure + `/(\w+\.go):(\d+)\.\d+,(\d+)\.\d+ ([1-9]\d*) (\d+)$`)

func TestSeedsRunEveryPath(t *testing.T) {
	dir := t.TempDir()
	binary, data, profile := filepath.Join(dir, "simulate"), filepath.Join(dir, "data"), filepath.Join(dir, "profile")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	run(t, nil, "go", "build", "-cover", "-coverpkg="+pure+","+program, "-o", binary, program)
	run(t, []string{"GOCOVERDIR=" + data}, binary, "-seeds", strconv.Itoa(seeds))
	run(t, nil, "go", "tool", "covdata", "textfmt", "-i="+data, "-o="+profile)

	ran, missed := read(t, profile)
	t.Logf("%d seeds ran %d blocks of %s", seeds, ran, pure)
	if ran == 0 {
		t.Fatal("no block ran: the profile is not of the package")
	}
	for _, m := range missed {
		t.Errorf("never ran: %s", m)
	}
}

// read counts the blocks that ran and names those that did not.
func read(t *testing.T, profile string) (ran int, missed []string) {
	t.Helper()
	f, err := os.Open(profile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		m := block.FindStringSubmatch(lines.Text())
		switch {
		case m == nil:
		case m[5] != "0":
			ran++
		case elsewhere[m[1]] == "":
			missed = append(missed, fmt.Sprintf("internal/ha/%s:%s-%s", m[1], m[2], m[3]))
		}
	}
	return ran, missed
}

func run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
