package sim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script is a story as it is written in testdata: comments, commands, and under
// each command, indented, what came of it.
//
//	# What the situation is.
//	power off a
//	advance 3s
//	     1.83s  b asks the others to join it
type script struct {
	steps []step
	tail  []string // comments after the last command
}

// step is a command with the comments above it.
type step struct {
	line     int
	comments []string // lines that begin with # or are empty
	command  string
	output   []string
}

var errNoCommand = errors.New("output without a command")

// parseScript reads a story. It does not know the commands.
func parseScript(text string) (script, error) {
	var s script
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case line == "" || line[0] == '#':
			s.tail = append(s.tail, line)
		case line[0] != ' ' && line[0] != '\t':
			s.steps = append(s.steps, step{line: i + 1, comments: s.tail, command: line})
			s.tail = nil
		case len(s.steps) == 0 || len(s.tail) > 0:
			return script{}, fmt.Errorf("reading line %d: %w", i+1, errNoCommand)
		default:
			last := &s.steps[len(s.steps)-1]
			last.output = append(last.output, line)
		}
	}
	return s, nil
}

// String writes the story as parseScript reads it.
func (s script) String() string {
	var b strings.Builder
	for _, st := range s.steps {
		writeLines(&b, st.comments)
		writeLines(&b, []string{st.command})
		writeLines(&b, st.output)
	}
	writeLines(&b, s.tail)
	return b.String()
}

func writeLines(b *strings.Builder, lines []string) {
	for _, l := range lines {
		b.WriteString(l + "\n")
	}
}

func TestScriptNamesTheLineThatIsWrong(t *testing.T) {
	for name, text := range map[string]string{
		"output before any command": "# nothing yet\n  1.00s  a does something\n",
		"output under a comment":    "heal\n# a comment\n  1.00s  a does something\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseScript(text)
			if !errors.Is(err, errNoCommand) || !strings.Contains(err.Error(), "line ") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func FuzzScript(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Add("heal\n\n# end")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseScript(text)
		if err != nil {
			return
		}
		again, err := parseScript(s.String())
		if err != nil {
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if again.String() != s.String() {
			t.Errorf("read and written once more, %q is %q", s, again)
		}
	})
}
