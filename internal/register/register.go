package register

import (
	"context"
	"errors"

	"github.com/myuser/db-operator/internal/ha"
)

// Register holds one record. Both methods block for at most a second or two,
// whatever the context says. Package registertest has an implementation in
// memory, and the conformance test that every implementation passes.
type Register interface {
	// Read returns the newest state. The errors are ErrAbsent and ErrUnknown.
	Read(ctx context.Context) (State, error)
	// Write replaces what base was read from, and only that. The errors are
	// ErrConflict, ErrAbsent and ErrUnknown; a register that is gone may be
	// either of the first two. After any error the record may have been written
	// all the same, even ErrConflict: an answer can be lost on the way and the
	// request sent again. Only a later Read tells. A write takes the bootstrap
	// mark away.
	Write(ctx context.Context, record ha.Record, base Base) (State, error)
}

var (
	// ErrAbsent: there is no register.
	ErrAbsent = errors.New("the register is absent")
	// ErrConflict: the register is no longer what base was read from.
	ErrConflict = errors.New("the register has changed")
	// ErrUnknown: no answer, or one that says nothing about the register.
	ErrUnknown = errors.New("the register did not answer")
)

// State is what one read saw.
type State struct {
	// Record is nil if nobody has written one, or nobody could have written
	// what stands there; Problem then says which.
	Record  *ha.Record
	Problem error
	// Bootstrap names the pod that may write the first record, if any may.
	Bootstrap string
	// Base is what a Write has to replace.
	Base Base
}

// Base is one version of the object behind the register.
type Base struct {
	UID, Version string
	content      []byte // the object as read, so that a write loses nothing
}

// Same tells whether both are the very same version of the same object.
func (b Base) Same(other Base) bool { return b.UID == other.UID && b.Version == other.Version }
