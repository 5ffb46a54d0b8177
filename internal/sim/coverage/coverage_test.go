// Package coverage shows that the simulator's seeds run every path of
// internal/ha. A path that never runs is a rule that nothing tests.
package coverage

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	pure    = "github.com/myuser/db-operator/internal/ha"
	program = "github.com/myuser/db-operator/internal/sim/simulate" // what is not covered writes no profile
	seeds   = 4000
)

// elsewhere are the functions that the package's own tests run: they draw or
// check what the seeds have no need to.
var elsewhere = []string{"String", "Reverse", "Validate", "ParseRecord", "Encode", "TimingsOf"}

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
		default:
			line, _ := strconv.Atoi(m[2])
			if in := enclosing(t, m[1], line); !slices.Contains(elsewhere, in) {
				missed = append(missed, fmt.Sprintf("internal/ha/%s:%s-%s in %s", m[1], m[2], m[3], in))
			}
		}
	}
	return ran, missed
}

// enclosing is the name of the function that holds a line.
func enclosing(t *testing.T, file string, line int) string {
	t.Helper()
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, filepath.Join("../../ha", file), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if ok && set.Position(f.Pos()).Line <= line && line <= set.Position(f.End()).Line {
			return f.Name.Name
		}
	}
	return ""
}

func run(t *testing.T, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
