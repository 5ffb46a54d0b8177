package postgres

import (
	"fmt"
	"strconv"
	"strings"
)

// Switch is one line of a timeline's history: Timeline was followed up to At,
// where its child began.
type Switch struct {
	Timeline uint32
	At       LSN
}

// HistoryFile is the name of the history of a timeline above 1 in pg_wal.
func HistoryFile(timeline uint32) string { return fmt.Sprintf("%08X.history", timeline) }

// ParseHistory reads the content of a history file, oldest ancestor first. It
// refuses one whose timelines or positions do not grow, as the server does.
func ParseHistory(text string) ([]Switch, error) {
	var history []Switch
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		if len(fields) < 2 {
			return nil, fmt.Errorf("reading timeline history: %q has no position", line)
		}
		timeline, err := strconv.ParseUint(fields[0], 10, 32)
		if err != nil {
			return nil, fmt.Errorf("reading timeline history: %w", err)
		}
		at, err := ParseLSN(fields[1])
		if err != nil {
			return nil, fmt.Errorf("reading timeline history: %w", err)
		}
		history = append(history, Switch{uint32(timeline), at})
	}
	if !growing(history) {
		return nil, fmt.Errorf("reading timeline history: timelines or positions do not grow")
	}
	return history, nil
}

func growing(history []Switch) bool {
	for i, s := range history {
		if s.Timeline == 0 || i > 0 && (s.Timeline <= history[i-1].Timeline || s.At < history[i-1].At) {
			return false
		}
	}
	return true
}
