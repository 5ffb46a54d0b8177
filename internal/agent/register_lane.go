package agent

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/myuser/db-operator/internal/agent/state"
	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/register"
)

const (
	// readSoon is the pause between reads while the member is not yet where it
	// wants to be; readFailed while it serves and the register does not answer
	// or is not what it should be.
	readSoon   = time.Second
	readFailed = 5 * time.Second
	// readRarely, and up to as much again: a serving leader of one needs no
	// news, but notices within two minutes that it was deposed.
	readRarely = 45 * time.Second
)

// registerTurn makes the moves that need no answer, then starts the job for
// the one that does.
func (m *member) registerTurn(now time.Time) {
	l := &m.registerLane
	for l.job == "" {
		s := decideLead(m.question(now))
		m.leadWhy, m.mayInit = s.Why, s.Move == mayStart
		switch s.Move {
		case take:
			m.take(s.Record)
			continue
		case giveUp:
			m.lead = nil
			m.fail("Deposed", "The register has a newer record, %s: the member gives up its lead.", s.Record)
			continue
		case learn:
			if l.free(now) {
				m.doLearn(s.Record)
			}
		case offer:
			if m.unwritable.any() {
				m.leadWhy = m.unwritable
			}
			if l.free(now) && !now.Before(m.nextWrite) {
				m.doOffer(s.Record)
			}
		default:
			if l.free(now) && !now.Before(m.nextRead) {
				m.doRead()
			}
		}
		return
	}
}

// take begins or goes on leading by a record. The first thing that follows is
// the endpoint, so that routing catches up while the engine opens.
func (m *member) take(r ha.Record) {
	if m.lead == nil {
		m.transition("Leads", "The member leads term %d.", r.Term)
		m.routed = false
	}
	m.lead = &r
}

func (m *member) doRead() {
	reg := m.register
	m.do(&m.registerLane, "read the register", 0, func(ctx context.Context) (func(), error) {
		s, err := reg.Read(ctx)
		return func() { m.read(s, err) }, nil
	})
}

// read takes an answer in. Every error that says nothing about the register is
// no answer, and demotes nobody.
func (m *member) read(s register.State, err error) {
	if problem := registerProblem(s, err); problem != m.registerProblem {
		m.registerProblem = problem
		if problem != "" {
			m.log.Warn("the register is not as it should be", "error", problem)
		} else {
			m.log.Info("the register answers")
		}
	}
	m.answer = answer{}
	switch {
	case errors.Is(err, register.ErrAbsent):
		m.answer.kind = absent
	case err != nil:
	case s.Record == nil:
		m.answer = answer{empty, s}
	default:
		m.answer = answer{holds, s}
		m.published = "" // look at the endpoints as rarely as at the register
	}
	if m.answer.kind != noAnswer {
		m.answered = true
	}
	m.nextRead = time.Now().Add(m.readPause())
}

func registerProblem(s register.State, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case s.Problem != nil:
		return s.Problem.Error()
	}
	return ""
}

func (m *member) readPause() time.Duration {
	switch {
	case m.lead == nil || m.engine.opened.IsZero():
		return readSoon
	case m.answer.kind != holds:
		return readFailed
	default:
		return readRarely + rand.N(readRarely)
	}
}

// doLearn makes a record that was read the newest seen.
func (m *member) doLearn(r ha.Record) {
	m.do(&m.registerLane, "note a record", 0, func(context.Context) (func(), error) {
		return nil, m.store.Update(func(s *state.State) { s.Seen, s.Pending = &r, nil })
	})
}

// doOffer notes what it is about to try before it tries it. Whatever the answer
// but success, only a read that begins after it tells what has happened.
func (m *member) doOffer(r ha.Record) {
	reg, base := m.register, m.answer.state.Base
	m.answer = answer{}
	m.do(&m.registerLane, "write the register", 0, func(ctx context.Context) (func(), error) {
		if err := m.store.Update(func(s *state.State) { s.Pending = &r }); err != nil {
			return nil, err
		}
		s, err := reg.Write(ctx, r, base)
		if err != nil {
			return func() { m.notWritten(r, err) }, nil
		}
		err = m.store.Update(func(s *state.State) { s.Seen, s.Pending = &r, nil })
		return func() {
			m.read(s, nil)
			m.writeFailures, m.unwritable = 0, trouble{}
			m.log.Info("the register was written", "record", r.String())
		}, err
	})
}

// notWritten reads at once, and writes again after a pause.
func (m *member) notWritten(r ha.Record, err error) {
	m.writeFailures++
	m.nextRead = time.Time{}
	m.nextWrite = time.Now().Add(min(100*time.Millisecond<<min(m.writeFailures, 10), retryMax))
	m.unwritable = trouble{"RegisterUnwritable", fmt.Sprintf("The register could not be written, and the member tries again: %v.", err)}
	m.log.Warn("the outcome of a write to the register is not known", "record", r.String(), "error", err)
}
