package registertest

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/register"
)

// Fault is what goes wrong with one operation.
type Fault int

const (
	None        Fault = iota
	LostRequest       // nothing happens, and the caller does not learn it
	LostAnswer        // it happens, and the caller does not learn it
	LateRequest       // the caller gives up; it happens when Land is called
)

// Memory is a register in memory. The zero value has no Lease. It is safe for
// concurrent use.
type Memory struct {
	mu        sync.Mutex
	exists    bool
	uid       int
	version   int
	record    *ha.Record
	bootstrap string
	faults    []Fault
	down      bool
	late      []func()
	writes    int
	reads     int
}

var _ register.Register = (*Memory)(nil)

// Create makes a new, empty Lease, as the operator does.
func (m *Memory) Create(bootstrap string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.uid++
	m.version++
	m.exists, m.record, m.bootstrap = true, nil, bootstrap
}

// Delete removes the Lease.
func (m *Memory) Delete() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.exists, m.record = false, nil
}

// Set writes a record as another member would.
func (m *Memory) Set(r ha.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.version++
	m.exists, m.record, m.bootstrap = true, &r, ""
}

// Record is what the Lease holds, nil if nothing.
func (m *Memory) Record() *ha.Record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.record
}

// Writes and Reads count the operations that were asked for.
func (m *Memory) Writes() int { m.mu.Lock(); defer m.mu.Unlock(); return m.writes }

// Reads counts the reads that were asked for.
func (m *Memory) Reads() int { m.mu.Lock(); defer m.mu.Unlock(); return m.reads }

// Down makes every operation go unanswered and without effect while down.
func (m *Memory) Down(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// Fail lists what goes wrong with the next writes, one each.
func (m *Memory) Fail(faults ...Fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = faults
}

// Land lets requests happen whose caller has long given up.
func (m *Memory) Land() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, happen := range m.late {
		happen()
	}
	m.late = nil
}

// Read implements register.Register.
func (m *Memory) Read(context.Context) (register.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	switch {
	case m.down:
		return register.State{}, fmt.Errorf("reading the register in memory: %w", register.ErrUnknown)
	case !m.exists:
		return register.State{}, fmt.Errorf("reading the register in memory: %w", register.ErrAbsent)
	}
	return m.state(), nil
}

// Write implements register.Register.
func (m *Memory) Write(_ context.Context, record ha.Record, base register.Base) (register.State, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.writes++
	fault := None
	if len(m.faults) > 0 {
		fault, m.faults = m.faults[0], m.faults[1:]
	}
	if m.down {
		fault = LostRequest
	}
	unknown := fmt.Errorf("writing the register in memory: %w", register.ErrUnknown)
	switch fault {
	case LostRequest:
		return register.State{}, unknown
	case LateRequest:
		m.late = append(m.late, func() { _, _ = m.write(record, base) })
		return register.State{}, unknown
	case LostAnswer:
		_, _ = m.write(record, base)
		return register.State{}, unknown
	}
	return m.write(record, base)
}

func (m *Memory) write(record ha.Record, base register.Base) (register.State, error) {
	switch {
	case !m.exists:
		return register.State{}, fmt.Errorf("writing the register in memory: %w", register.ErrAbsent)
	case !base.Same(m.base()):
		return register.State{}, fmt.Errorf("writing the register in memory: %w", register.ErrConflict)
	}
	m.version++
	m.record, m.bootstrap = &record, ""
	return m.state(), nil
}

func (m *Memory) state() register.State {
	state := register.State{Bootstrap: m.bootstrap, Base: m.base()}
	if m.record != nil {
		record := *m.record
		state.Record = &record
	}
	return state
}

func (m *Memory) base() register.Base {
	return register.Base{UID: strconv.Itoa(m.uid), Version: strconv.Itoa(m.version)}
}
