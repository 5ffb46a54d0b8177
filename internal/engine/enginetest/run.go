package enginetest

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// Run runs every case against the installed engine and prints the count.
func Run(t *testing.T, e Engine) {
	version, err := e.Version()
	if err != nil {
		t.Fatalf("there is no %s here: %v\nRun this suite inside the engine's image (make test-conformance).", e.Profile.Name(), err)
	}
	if _, err := e.Profile.Resolve(version); err != nil {
		t.Fatal(err)
	}
	// Under an arbitrary uid there is no home: nothing may look for one.
	t.Setenv("HOME", "")
	start := time.Now()
	s := &suite{engine: e, version: version}
	s.makeSeed(t)

	cases := e.allCases()
	ran, failed := 0, 0 // -test.run may choose some
	for _, c := range cases {
		good := t.Run(c.Name, func(t *testing.T) {
			ran++
			c.Run(t, s.member(t, ""))
		})
		if !good {
			failed++
		}
	}
	fmt.Fprintf(os.Stderr, "enginetest: %s %s as %d:%d: %d of %d cases passed in %.0f s\n",
		e.Profile.Name(), version, os.Getuid(), os.Getgid(), ran-failed, len(cases), time.Since(start).Seconds())
}

func (e Engine) allCases() []Case {
	var all []Case
	for _, topic := range [][]Case{
		initialiseCases, startCases, configureCases, accountCases, gateCases, endCases, tlsCases, diskCases, e.Cases,
	} {
		all = append(all, topic...)
	}
	return all
}
