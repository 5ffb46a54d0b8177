package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	queuedLines = 512
	flushLimit  = time.Second
)

// patient is a log that never makes its writers wait: if nobody takes the
// lines away, newer ones are dropped. A container's standard output is a pipe
// whose reader may hang, and a Database must not hang with it.
type patient struct {
	lines  chan []byte
	ending chan struct{}
	ended  chan struct{}
	lost   atomic.Int64
}

// newPatient begins to write to w.
func newPatient(w io.Writer) *patient {
	p := &patient{lines: make(chan []byte, queuedLines), ending: make(chan struct{}), ended: make(chan struct{})}
	go p.run(w)
	return p
}

// Write implements io.Writer. It keeps a copy.
func (p *patient) Write(line []byte) (int, error) {
	select {
	case p.lines <- append([]byte(nil), line...):
	default:
		p.lost.Add(1)
	}
	return len(line), nil
}

// Close waits for what is queued, for at most a second.
func (p *patient) Close() {
	close(p.ending)
	select {
	case <-p.ended:
	case <-time.After(flushLimit):
	}
}

func (p *patient) run(w io.Writer) {
	defer close(p.ended)
	for {
		select {
		case line := <-p.lines:
			p.write(w, line)
		case <-p.ending:
			for len(p.lines) > 0 {
				p.write(w, <-p.lines)
			}
			return
		}
	}
}

// write has nowhere to report an error to.
func (p *patient) write(w io.Writer, line []byte) {
	_, _ = w.Write(line)
	if n := p.lost.Swap(0); n > 0 {
		fmt.Fprintf(w, `{"time":%q,"level":"WARN","msg":"log lines were lost","lines":%d}`+"\n", time.Now().UTC().Format(time.RFC3339Nano), n)
	}
}
