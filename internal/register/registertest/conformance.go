package registertest

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/register"
)

// World is a register together with what only the operator may do to it.
type World struct {
	Register register.Register
	Create   func(bootstrap string) // makes a new, empty one
	Delete   func()
}

// Conformance runs what every register has to do. Each case gets a new world.
func Conformance(t *testing.T, world func(t *testing.T) World) {
	for name, run := range map[string]func(*testing.T, World){
		"a register that nobody made is absent":          absent,
		"an empty register names who may write it first": empty,
		"a record comes back as it was written":          roundTrip,
		"a write takes the bootstrap mark away":          markIsUsedUp,
		"a write replaces only what it has read":         conflict,
		"a register made anew is another one":            madeAnew,
		"a write to a register that is gone is refused":  deleted,
	} {
		t.Run(name, func(t *testing.T) { run(t, world(t)) })
	}
}

var first = ha.First("uid-a", "fast")

func read(t *testing.T, w World) register.State {
	t.Helper()
	state, err := w.Register.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func write(t *testing.T, w World, record ha.Record, base register.Base) register.State {
	t.Helper()
	state, err := w.Register.Write(t.Context(), record, base)
	if err != nil {
		t.Fatal(err)
	}
	return state
}

func same(t *testing.T, got, want register.State) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(register.Base{})); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func fails(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

func absent(t *testing.T, w World) {
	_, err := w.Register.Read(t.Context())
	fails(t, err, register.ErrAbsent)
}

func empty(t *testing.T, w World) {
	w.Create("db-0")
	state := read(t, w)
	if state.Record != nil || state.Problem != nil || state.Bootstrap != "db-0" {
		t.Errorf("state is %+v, want an empty one for db-0", state)
	}
}

func roundTrip(t *testing.T, w World) {
	w.Create("")
	written := write(t, w, first, read(t, w).Base)
	got := read(t, w)
	same(t, got, written)
	if diff := cmp.Diff(&first, got.Record); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
	claim := first.Claim("uid-a")
	same(t, write(t, w, claim, got.Base), read(t, w))
}

func markIsUsedUp(t *testing.T, w World) {
	w.Create("db-0")
	write(t, w, first, read(t, w).Base)
	if mark := read(t, w).Bootstrap; mark != "" {
		t.Errorf("bootstrap mark is %q, want none", mark)
	}
}

func conflict(t *testing.T, w World) {
	w.Create("")
	old := read(t, w).Base
	written := write(t, w, first, old)
	_, err := w.Register.Write(t.Context(), first.Claim("uid-a"), old)
	fails(t, err, register.ErrConflict)
	same(t, read(t, w), written)
}

func madeAnew(t *testing.T, w World) {
	w.Create("")
	old := write(t, w, first, read(t, w).Base)
	w.Delete()
	w.Create("")
	_, err := w.Register.Write(t.Context(), first.Claim("uid-a"), old.Base)
	fails(t, err, register.ErrConflict)
	state := read(t, w)
	if state.Record != nil || state.Base.UID == old.Base.UID {
		t.Errorf("state is %+v, want that of a new register", state)
	}
}

func deleted(t *testing.T, w World) {
	w.Create("")
	state := write(t, w, first, read(t, w).Base)
	w.Delete()
	_, err := w.Register.Write(t.Context(), first.Claim("uid-a"), state.Base)
	// The API server calls it a conflict: that something of another uid, namely
	// none, is in its place.
	if !errors.Is(err, register.ErrAbsent) && !errors.Is(err, register.ErrConflict) {
		t.Errorf("error is %v, want that the register is absent or has changed", err)
	}
	_, err = w.Register.Read(t.Context())
	fails(t, err, register.ErrAbsent)
}
