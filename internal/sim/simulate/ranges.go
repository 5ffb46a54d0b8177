package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
)

// note is one line of the file of ranges: what was run clean, and the counts.
type note struct {
	Range string
	Tally *tally
}

// readDone reads the ranges that were run clean before.
func readDone(file string) (map[string]*tally, error) {
	done := map[string]*tally{}
	if file == "" {
		return done, nil
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("reading ranges: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		var n note
		if json.Unmarshal([]byte(line), &n) == nil && n.Tally != nil { // the last line may be cut short
			done[n.Range] = n.Tally
		}
	}
	return done, nil
}

// noteDone adds a range to the file.
func noteDone(file, name string, t *tally) error {
	if file == "" {
		return nil
	}
	line, err := json.Marshal(note{name, t})
	if err != nil {
		return fmt.Errorf("noting range: %w", err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting range: %w", err)
	}
	_, err = fmt.Fprintf(f, "%s\n", line)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("noting range: %w", err)
	}
	return nil
}
