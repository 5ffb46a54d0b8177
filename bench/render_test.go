package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSummariseTakesTheMiddle(t *testing.T) {
	for name, c := range map[string]struct {
		observed         []float64
		least, mid, most float64
	}{
		"one observation is all three":     {[]float64{3}, 3, 3, 3},
		"an odd number has a middle":       {[]float64{5, 1, 3}, 1, 3, 5},
		"an even number is halved between": {[]float64{4, 1, 2, 3}, 1, 2.5, 4},
	} {
		t.Run(name, func(t *testing.T) {
			r := summarise("x", "", 0, "s", c.observed)
			if r.Min != c.least || r.P50 != c.mid || r.Max != c.most {
				t.Errorf("min %v, p50 %v, max %v; want %v, %v, %v", r.Min, r.P50, r.Max, c.least, c.mid, c.most)
			}
		})
	}
}

// The page shows the figures that the result files hold: no more, no less.
func TestPageIsRendered(t *testing.T) {
	t.Chdir("..")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	figures, err := newest()
	if err != nil {
		t.Fatal(err)
	}
	want, err := replace(string(text), table(figures))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("run go run ./bench -render:\n%s", diff)
	}
}
