package enginetest

import (
	"testing"
	"time"
)

// lookEvery is the pause between two looks.
const lookEvery = 10 * time.Millisecond

// Must ends the test on an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Eventually looks until there is no error, and fails with the last one when
// the time is up. The sentence says what is waited for.
func Eventually(t *testing.T, within time.Duration, sentence string, look func() error) {
	t.Helper()
	end := time.After(within)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		err := look()
		if err == nil {
			return
		}
		select {
		case <-end:
			t.Fatalf("waited %s until %s: %v", within, sentence, err)
		case <-tick.C:
		}
	}
}

// pause lets time pass where there is nothing to look at: a client that has
// sent a statement, or that goes on trying. No case is right or wrong by it.
func pause(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}
