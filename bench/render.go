package main

import (
	"fmt"
	"os"
	"strings"
)

// The page between these marks is made from the result files, so that the two
// cannot differ; the prose around them is written by hand.
const (
	beginMark = "<!-- figures: begin (go run ./bench -render) -->"
	endMark   = "<!-- figures: end -->"
	page      = "docs/performance.md"
)

// render puts the newest figures into the page.
func render() error {
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	figures, err := newest()
	if err != nil {
		return err
	}
	rendered, err := replace(string(text), table(figures))
	if err != nil {
		return fmt.Errorf("rendering %s: %w", page, err)
	}
	return os.WriteFile(page, []byte(rendered), 0o644)
}

// replace puts the table between the marks.
func replace(text, table string) (string, error) {
	before, rest, found := strings.Cut(text, beginMark)
	if !found {
		return "", fmt.Errorf("the line %q is missing", beginMark)
	}
	_, after, found := strings.Cut(rest, endMark)
	if !found {
		return "", fmt.Errorf("the line %q is missing", endMark)
	}
	return before + beginMark + "\n\n" + table + "\n" + endMark + after, nil
}

// table draws the figures as Markdown.
func table(figures []result) string {
	var b strings.Builder
	b.WriteString("| Figure | Engine | Members | Median | Min – max | n | Unit | Goal | Commit, date |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range figures {
		members := ""
		if r.Members > 0 {
			members = fmt.Sprint(r.Members)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s – %s | %d | %s | %s | %s, %s |\n",
			r.Name, r.Engine, members, number(r.P50), number(r.Min), number(r.Max), r.N, r.Unit, goals[r.Name], r.Commit, r.Date)
	}
	return b.String()
}

func number(x float64) string {
	switch {
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	default:
		return fmt.Sprintf("%.2f", x)
	}
}

// goals are what we set out for; figures without one have none.
var goals = map[string]string{
	"create_ready_vs_floor":          "≤ 1.3",
	"throughput_vs_bare":             "≥ 0.98",
	"agent_rss_mb":                   "≤ 30",
	"agent_binary_mb":                "≤ 20",
	"operator_rss_mb":                "≤ 80",
	"operator_idle_requests_per_min": "≤ 5",
	"cluster_up_warm_s":              "≤ 15",
	"cluster_up_cold_min":            "≤ 12",
	"cluster_idle_mb":                "≤ 2048",
}
