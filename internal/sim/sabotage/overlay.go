package sabotage

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Environment is the variable of the saboteur that names what is broken,
// separated by commas.
const Environment = "SABOTAGE"

// switchboard is the file that the overlay adds to each package with edits.
const switchboard = `package %s

import (
	"os"
	"slices"
	"strings"
)

var sabotages = strings.Split(os.Getenv("` + Environment + `"), ",")

func sabotaged(name string) bool { return slices.Contains(sabotages, name) }
`

// Build compiles the saboteur from the module at root, with all edits in it.
// The program is written to dir, and its path returned. It blocks for as long
// as the compiler takes.
func Build(root, dir string) (string, error) {
	edited, err := editedFiles(root, Table())
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	for path, text := range edited {
		copied := filepath.Join(dir, strings.ReplaceAll(path, "/", "-"))
		if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
			return "", fmt.Errorf("writing overlay: %w", err)
		}
		replace[filepath.Join(root, path)] = copied
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", fmt.Errorf("encoding overlay: %w", err)
	}
	list := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return "", fmt.Errorf("writing overlay: %w", err)
	}
	program := filepath.Join(dir, "saboteur")
	build := exec.Command("go", "build", "-overlay", list, "-o", program, "./internal/sim/sabotage/saboteur")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the saboteur: %w\n%s", err, out)
	}
	return program, nil
}

// editedFiles are the texts of all files with edits, by path below root, and
// the switchboards that the edits need.
func editedFiles(root string, table []Sabotage) (map[string]string, error) {
	perFile := map[string][]Edit{}
	for _, s := range table {
		for _, e := range s.Edits {
			perFile[e.File] = append(perFile[e.File], e)
		}
	}
	texts := map[string]string{}
	var stale []error
	for file, edits := range perFile {
		source, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, fmt.Errorf("reading source: %w", err)
		}
		text, err := apply(string(source), edits)
		if err != nil {
			stale = append(stale, fmt.Errorf("editing %s: %w", file, err))
		}
		texts[file] = text
		dir := filepath.Dir(file)
		texts[filepath.Join(dir, "sabotaged.go")] = fmt.Sprintf(switchboard, filepath.Base(dir))
	}
	return texts, errors.Join(stale...)
}

// apply makes edits in a text. Each is looked for in the text as it was, so
// that none depends on another.
func apply(text string, edits []Edit) (string, error) {
	type place struct {
		from, to int
		with     string
	}
	var places []place
	var stale []error
	for _, e := range edits {
		if n := strings.Count(text, e.Old); n != 1 {
			stale = append(stale, fmt.Errorf("this stands there %d times, not once, so the sabotage is out of date:\n%s", n, e.Old))
			continue
		}
		at := strings.Index(text, e.Old)
		places = append(places, place{at, at + len(e.Old), e.New})
	}
	if len(stale) > 0 {
		return "", errors.Join(stale...)
	}
	slices.SortFunc(places, func(a, b place) int { return a.from - b.from })
	var out strings.Builder
	end := 0
	for _, p := range places {
		if p.from < end {
			return "", fmt.Errorf("two sabotages edit this place:\n%s", text[p.from:p.to])
		}
		out.WriteString(text[end:p.from])
		out.WriteString(p.with)
		end = p.to
	}
	out.WriteString(text[end:])
	return out.String(), nil
}
