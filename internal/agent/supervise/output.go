package supervise

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

const (
	maxLine    = 8 << 10  // bytes of one line that are kept
	maxRecord  = 32 << 10 // bytes of one record with its continuation lines
	maxQueued  = 256      // records that wait for the logger
	keptErrors = 5
	// joinWait is how long a record waits for a continuation line.
	joinWait = 100 * time.Millisecond
)

// output carries a program's lines to the logger in three stages: one reader
// per pipe, which never waits for anybody; a joiner of continuation lines in
// the same goroutine; and one writer, which may be as slow as the logger.
type output struct {
	stdout, stderr *os.File // the child's ends, until childHasIt
	queue          chan engine.LogLine
	dropped        atomic.Int64
	done           chan struct{}

	mu   sync.Mutex
	errs []string
}

func newOutput(parse engine.LogParser, logger *slog.Logger) (*output, error) {
	if parse == nil {
		parse = func(line string) engine.LogLine { return engine.LogLine{Message: line} }
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	errRead, errWrite, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, outRead.Close(), outWrite.Close())
	}
	o := &output{stdout: outWrite, stderr: errWrite, queue: make(chan engine.LogLine, maxQueued), done: make(chan struct{})}
	var readers sync.WaitGroup
	for _, pipe := range []*os.File{outRead, errRead} {
		readers.Go(func() {
			defer pipe.Close()
			o.join(lines(pipe), parse)
		})
	}
	go func() {
		readers.Wait()
		close(o.queue)
	}()
	go o.write(logger)
	return o, nil
}

// childHasIt closes this process' copies of the child's ends.
func (o *output) childHasIt() {
	o.stdout.Close()
	o.stderr.Close()
}

// close waits for the goroutines of an output whose child never started.
func (o *output) close() { <-o.done }

// lines reads r to its end. Too long a line is cut, never buffered whole.
func lines(r io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		buffered := bufio.NewReaderSize(r, maxLine)
		for {
			line, err := buffered.ReadSlice('\n')
			text := strings.TrimRight(string(line), "\r\n")
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = buffered.ReadSlice('\n')
			}
			if text != "" {
				out <- text
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}

// join puts continuation lines below the record they belong to. A record is
// passed on when the next begins, or when none comes for a moment.
func (o *output) join(lines <-chan string, parse engine.LogParser) {
	var record *engine.LogLine
	flush := func() {
		if record != nil {
			o.put(*record)
			record = nil
		}
	}
	timer := time.NewTimer(joinWait)
	defer timer.Stop()
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				flush()
				return
			}
			parsed := parse(line)
			if parsed.Continuation && record != nil {
				if len(record.Message)+len(parsed.Message) < maxRecord {
					record.Message += "\n" + parsed.Message
				}
				continue
			}
			flush()
			record = &parsed
			timer.Reset(joinWait)
		case <-timer.C:
			flush()
		}
	}
}

// put keeps errors for people and queues the record, or counts it as dropped.
func (o *output) put(line engine.LogLine) {
	if level(line.Level) >= slog.LevelError {
		o.mu.Lock()
		o.errs = append(o.errs, line.Message)
		if len(o.errs) > keptErrors {
			o.errs = o.errs[1:]
		}
		o.mu.Unlock()
	}
	select {
	case o.queue <- line:
	default:
		o.dropped.Add(1)
	}
}

func (o *output) write(logger *slog.Logger) {
	defer close(o.done)
	for line := range o.queue {
		if n := o.dropped.Swap(0); n > 0 {
			logger.Warn("engine output was faster than the log", "droppedRecords", n)
		}
		var attrs []slog.Attr
		if line.Code != "" {
			attrs = append(attrs, slog.String("code", line.Code))
		}
		if !line.Time.IsZero() {
			attrs = append(attrs, slog.Time("engineTime", line.Time))
		}
		logger.LogAttrs(context.Background(), level(line.Level), line.Message, attrs...)
	}
}

func (o *output) errors() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string(nil), o.errs...)
}

// level maps the words of engine.LogLine; an unknown or absent one is info.
func level(word string) slog.Level {
	switch word {
	case "debug":
		return slog.LevelDebug
	case "warning":
		return slog.LevelWarn
	case "error", "fatal":
		return slog.LevelError
	default:
		return slog.LevelInfo
	}
}
