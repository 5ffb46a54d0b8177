package main

import (
	"path/filepath"
	"testing"
)

func TestSizes(t *testing.T) {
	for text, want := range map[string][2]int{"": {1, 5}, "3": {3, 3}, "2-5": {2, 5}} {
		low, high, err := sizes(text)
		if err != nil || low != want[0] || high != want[1] {
			t.Errorf("sizes(%q) is %d-%d, %v; want %v", text, low, high, err, want)
		}
	}
	for _, text := range []string{"0", "6", "4-2", "x", "1-"} {
		if _, _, err := sizes(text); err == nil {
			t.Errorf("sizes(%q) is no error", text)
		}
	}
}

func TestCleanRangesAreNotRunAgain(t *testing.T) {
	o := options{seeds: 40, seed0: 1, out: filepath.Join(t.TempDir(), "ranges"), workers: 1}
	for range 2 {
		if err := runAll(o, 1, 2); err != nil {
			t.Fatal(err)
		}
	}
	done, err := readDone(o.out)
	if err != nil {
		t.Fatal(err)
	}
	if len(done) != 1 || done["1-40 of 1-2"] == nil || done["1-40 of 1-2"].Seeds != 40 {
		t.Errorf("the file holds %v, want one range of 40 seeds", done)
	}
}
