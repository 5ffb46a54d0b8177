package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// retryMax bounds the pause before a job that failed is tried again.
const retryMax = 10 * time.Second

// lane runs one job at a time. It belongs to the loop goroutine.
type lane struct {
	job       string // empty while free
	cancel    context.CancelFunc
	preempted bool
	failures  int    // in a row
	failed    string // the last job, if it failed
	notBefore time.Time
	problem   trouble // of the last job, if it failed
}

// free tells whether a job may begin now.
func (l *lane) free(now time.Time) bool { return l.job == "" && !now.Before(l.notBefore) }

// preempt asks the job that runs to give up.
func (l *lane) preempt() {
	if l.job != "" && !l.preempted {
		l.preempted = true
		l.cancel()
	}
}

// do runs work outside of the loop, for at most limit (0: no limit), and its
// result inside. The result is applied whether or not there was an error: it
// says what is known to have happened.
func (m *member) do(l *lane, job string, limit time.Duration, work func(ctx context.Context) (apply func(), err error)) {
	ctx, cancel := context.WithCancel(m.ctx)
	if limit > 0 {
		ctx, cancel = context.WithTimeoutCause(m.ctx, limit, fmt.Errorf("given up after %s", limit))
	}
	l.job, l.cancel, l.preempted = job, cancel, false
	m.jobs.Go(func() {
		defer cancel()
		apply, err := work(ctx)
		if cause := context.Cause(ctx); err != nil && errors.Is(err, context.DeadlineExceeded) && cause != nil {
			err = fmt.Errorf("%w: %w", cause, err)
		}
		m.post(func() {
			l.job = ""
			if apply != nil {
				apply()
			}
			m.finished(l, job, err)
		})
	})
}

// post hands a closure to the loop. It gives up when the loop has ended.
func (m *member) post(event func()) {
	select {
	case m.events <- event:
	case <-m.ctx.Done():
	}
}

func (m *member) finished(l *lane, job string, err error) {
	switch {
	case err == nil:
		l.failures, l.failed, l.notBefore, l.problem = 0, "", time.Time{}, trouble{}
		return
	case l.preempted:
		return
	}
	l.failures++
	l.failed = job
	pause := min(100*time.Millisecond<<min(l.failures, 10), retryMax)
	l.notBefore = time.Now().Add(pause)
	problem := trouble{reasonOf(job) + "Failed", fmt.Sprintf("To %s did not work and is tried again: %v.", job, err)}
	if l.problem != problem { // once per problem, not per try
		m.log.Warn(problem.Message, "reason", problem.Reason)
	}
	l.problem = problem
}

// reasonOf is a job's name in CamelCase.
func reasonOf(job string) string {
	var b strings.Builder
	up := true
	for _, r := range job {
		switch {
		case r == ' ' || r == '-':
			up = true
		case up:
			b.WriteRune(unicode.ToUpper(r))
			up = false
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
