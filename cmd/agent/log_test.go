package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stuck is a writer whose reader never comes.
type stuck struct{ release chan struct{} }

func (s stuck) Write(p []byte) (int, error) {
	<-s.release
	return len(p), nil
}

func TestTheLogKeepsItsLinesAndTheirOrder(t *testing.T) {
	var out strings.Builder
	p := newPatient(&out)
	want := ""
	for n := range queuedLines {
		fmt.Fprintln(p, n)
		want += fmt.Sprintln(n)
	}
	p.Close()
	if out.String() != want {
		t.Errorf("the log has %d bytes, want %d", out.Len(), len(want))
	}
}

func TestAStuckLogMakesNobodyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := stuck{make(chan struct{})}
		p := newPatient(out)
		began := time.Now()
		for range 10 * queuedLines {
			fmt.Fprintln(p, "a line")
		}
		p.Close()
		if took := time.Since(began); took != flushLimit {
			t.Errorf("it took %s, want the second that closing may take", took)
		}
		if p.lost.Load() == 0 {
			t.Error("nothing was dropped: the test shows nothing")
		}
		close(out.release)
	})
}
