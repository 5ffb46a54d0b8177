package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// result is one figure: n observations of one thing.
type result struct {
	Name    string  `json:"name"`
	Engine  string  `json:"engine,omitempty"`
	Members int     `json:"members,omitempty"`
	N       int     `json:"n"`
	Min     float64 `json:"min"`
	P50     float64 `json:"p50"`
	Max     float64 `json:"max"`
	Unit    string  `json:"unit"`
	Commit  string  `json:"commit"`
	Date    string  `json:"date"`
}

// summarise makes a figure of its observations; there must be at least one.
func summarise(name, engine string, members int, unit string, observed []float64) result {
	sorted := slices.Sorted(slices.Values(observed))
	n := len(sorted)
	median := sorted[n/2]
	if n%2 == 0 {
		median = (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return result{Name: name, Engine: engine, Members: members, N: n, Min: sorted[0], P50: median, Max: sorted[n-1], Unit: unit,
		Commit: commit(), Date: time.Now().UTC().Format(time.DateOnly)}
}

// commit names what was measured; "-dirty" says that no commit holds it.
func commit() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

const resultsDir = "bench/results"

// record appends the figures to the bench's file and prints them.
func record(bench string, figures ...result) error {
	if err := os.MkdirAll(resultsDir, 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(resultsDir, bench+".jsonl"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, figure := range figures {
		line, err := json.Marshal(figure)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(f, "%s\n", line); err != nil {
			return err
		}
		fmt.Printf("%s\n", line)
	}
	return f.Close()
}

// newest reads all result files and keeps the last figure of each name, engine
// and number of members, in that order.
func newest() ([]result, error) {
	files, err := filepath.Glob(filepath.Join(resultsDir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	type key struct {
		name, engine string
		members      int
	}
	last := map[key]result{}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var r result
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				f.Close()
				return nil, fmt.Errorf("reading %s: %w", path, err)
			}
			last[key{r.Name, r.Engine, r.Members}] = r
		}
		f.Close()
	}
	all := make([]result, 0, len(last))
	for _, r := range last {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b result) int {
		return strings.Compare(fmt.Sprintf("%s|%s|%03d", a.Name, a.Engine, a.Members), fmt.Sprintf("%s|%s|%03d", b.Name, b.Engine, b.Members))
	})
	return all, nil
}
