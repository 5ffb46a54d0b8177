// Package arch keeps the direction of dependencies true: the rules of
// docs/architecture.md as a test.
package arch

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/myuser/db-operator"

// pkg is what `go list -json` tells of one package.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	Deps       []string
	Standard   bool
}

// list loads the packages that match the pattern, with their dependencies.
func list(t *testing.T, args ...string) map[string]pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,Imports,Deps,Standard"}, args...)...)
	cmd.Dir = root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	found := map[string]pkg{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); decoder.More(); {
		var p pkg
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("reading the package list: %v", err)
		}
		found[p.ImportPath] = p
	}
	return found
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// below tells whether path is the package base (relative to the module) or
// lies under it.
func below(path, base string) bool {
	base = module + "/" + base
	return path == base || strings.HasPrefix(path, base+"/")
}

// The rules say what a package may never reach, directly or through others of
// this module; what a library brings along is the library's affair. A rule
// holds for the package and everything below it.
var rules = []struct {
	name, from string
	// except are packages below from that the rule leaves out.
	except    []string
	forbidden []string
}{
	{
		name: "the API knows the API machinery only", from: "api/v1",
		forbidden: []string{module, "k8s.io/client-go", "sigs.k8s.io/controller-runtime/pkg/client", "database/sql"},
	},
	{
		name: "desired objects are made without a client or a context", from: "internal/desired",
		forbidden: []string{"k8s.io/client-go/kubernetes", "k8s.io/client-go/rest", "sigs.k8s.io/controller-runtime", module + "/internal/kube", module + "/internal/agent", module + "/controllers"},
	},
	{
		name: "the agent knows nothing of the operator's side", from: "internal/agent",
		forbidden: []string{module + "/controllers", module + "/internal/desired", module + "/internal/kube", "k8s.io/client-go", "sigs.k8s.io/controller-runtime"},
	},
	{
		name: "the agent's binary stays without client-go", from: "cmd/agent",
		forbidden: []string{"k8s.io", "sigs.k8s.io", module + "/controllers"},
	},
	{
		name: "controllers never reach a driver, SQL or the agent", from: "controllers",
		forbidden: []string{module + "/internal/agent", "database/sql", "github.com/jackc/pgx", "github.com/go-sql-driver/mysql", module + "/internal/engine/postgres", module + "/internal/engine/mysql"},
	},
	{
		name: "the engine contracts know no engine", from: "internal/engine",
		except:    []string{"internal/engine/postgres", "internal/engine/mysql", "internal/engine/enginetest"},
		forbidden: []string{module + "/internal/engine/postgres", module + "/internal/engine/mysql", "database/sql"},
	},
	{
		name: "the register knows no engine", from: "internal/register",
		forbidden: []string{module + "/internal/engine", "k8s.io"},
	},
}

func TestDependencyDirection(t *testing.T) {
	packages := list(t, "./...")
	for _, rule := range rules {
		t.Run(rule.name, func(t *testing.T) {
			seen := false
			for path, p := range packages {
				if !below(path, rule.from) || slices.ContainsFunc(rule.except, func(e string) bool { return below(path, e) }) {
					continue
				}
				seen = true
				for _, dep := range reached(packages, p) {
					if below(dep, rule.from) {
						continue
					}
					for _, forbidden := range rule.forbidden {
						if dep == forbidden || strings.HasPrefix(dep, forbidden+"/") {
							t.Errorf("%s reaches %s", path, dep)
						}
					}
				}
			}
			if !seen {
				t.Errorf("no package lies below %s: the rule guards nothing", rule.from)
			}
		})
	}
}

// reached are the packages that p imports, and those that packages of this
// module on the way import.
func reached(packages map[string]pkg, p pkg) []string {
	seen := map[string]bool{}
	queue := slices.Clone(p.Imports)
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if seen[next] {
			continue
		}
		seen[next] = true
		queue = append(queue, packages[next].Imports...)
	}
	return slices.Sorted(maps.Keys(seen))
}

// Pure packages use the standard library only, and of it nothing that does I/O
// or tells the time; of package time only durations.
func TestPurity(t *testing.T) {
	pure := map[string][]string{
		"internal/ha": {"os", "net", "context", "log", "log/slog", "math/rand", "math/rand/v2"},
	}
	for base, forbidden := range pure {
		t.Run(base, func(t *testing.T) {
			for path, p := range list(t, "./"+base+"/...") {
				for _, imported := range p.Imports {
					if strings.Contains(strings.Split(imported, "/")[0], ".") {
						t.Errorf("%s imports %s: standard library only", path, imported)
					}
					if slices.Contains(forbidden, imported) {
						t.Errorf("%s imports %s: it must stay pure", path, imported)
					}
				}
				for _, file := range p.GoFiles {
					for _, use := range clockUses(t, filepath.Join(p.Dir, file)) {
						t.Errorf("%s: time.%s: the time comes with the observation", file, use)
					}
				}
			}
		})
	}
}

// clockUses are the names of package time, other than durations, that a file
// uses.
func clockUses(t *testing.T, file string) []string {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	durations := []string{"Duration", "Nanosecond", "Microsecond", "Millisecond", "Second", "Minute", "Hour"}
	var uses []string
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && !slices.Contains(durations, s.Sel.Name) {
				uses = append(uses, s.Sel.Name)
			}
		}
		return true
	})
	return uses
}

// Profiles are used by the operator, so they must not bring SQL or processes.
func TestProfilesArePure(t *testing.T) {
	for _, engine := range []string{"postgres", "mysql"} {
		t.Run(engine, func(t *testing.T) {
			p, found := list(t, "./internal/engine/"+engine)[module+"/internal/engine/"+engine]
			if !found {
				t.Fatal("package not found")
			}
			for _, dep := range p.Deps {
				for _, forbidden := range []string{"os/exec", "database/sql", "net/http", "github.com/jackc/pgx/v5", "github.com/go-sql-driver/mysql"} {
					if dep == forbidden {
						t.Errorf("the profile reaches %s", dep)
					}
				}
			}
		})
	}
}

// An engine's name stands only in its own package, the API and the wiring.
func TestEngineNamesStayHome(t *testing.T) {
	home := []string{"internal/engine/", "api/v1/", "cmd/", "main.go", "test/", "bench/", "devcluster/", "tools/"}
	names := []string{"postgres", "mysql"}
	top := root(t)
	checked := 0
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, _ := filepath.Rel(top, path)
		if entry.IsDir() && (entry.Name() == ".git" || relative == "bin" || relative == "dist") {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		if slices.ContainsFunc(home, func(h string) bool { return strings.HasPrefix(relative, h) }) {
			return nil
		}
		checked++
		for position, word := range words(t, path) {
			for _, name := range names {
				if strings.Contains(strings.ToLower(word), name) {
					t.Errorf("%s:%d: %s", relative, position, word)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked == 0 {
		t.Error("no file was checked")
	}
}

// words returns the identifiers and strings of a file by line; comments may
// name what they like.
func words(t *testing.T, path string) map[int]string {
	t.Helper()
	source, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile(path, files.Base(), len(source)), source, nil, 0)
	found := map[int]string{}
	for {
		at, tok, literal := s.Scan()
		if tok == token.EOF {
			return found
		}
		if tok == token.IDENT || tok == token.STRING {
			line := files.Position(at).Line
			found[line] += " " + literal
		}
	}
}
