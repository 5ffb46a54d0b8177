// Package console tells the person at the terminal what devcluster does: one
// line per step with its time, and signs of life from steps that take long. It
// knows nothing about the steps themselves.
package console

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// heartbeat is how often a long step says that it is alive.
const heartbeat = 15 * time.Second

// Console writes progress to one writer. Its methods may be called from
// several goroutines.
type Console struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
}

// New returns a console whose elapsed times count from now.
func New(out io.Writer) *Console {
	return &Console{out: out, start: time.Now()}
}

// Write passes lines of another package through, whole.
func (c *Console) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Write(p)
}

// Printf writes one line.
func (c *Console) Printf(format string, args ...any) {
	fmt.Fprintf(c, format+"\n", args...)
}

// Elapsed is the time since the console was made.
func (c *Console) Elapsed() time.Duration { return time.Since(c.start) }

// Step runs do and then writes its name and duration on one line. While do
// runs, a line every 15 seconds says so. The error of do is returned as it is.
func (c *Console) Step(name string, do func() error) error {
	begin := time.Now()
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		ticker := time.NewTicker(heartbeat)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				c.Printf("  … %s: still working after %s", name, time.Since(begin).Round(time.Second))
			}
		}
	})
	err := do()
	close(done)
	watcher.Wait()
	took := time.Since(begin).Seconds()
	if err != nil {
		c.Printf("  ✗ %-52s %6.1f s", name, took)
		return err
	}
	c.Printf("  ✓ %-52s %6.1f s", name, took)
	return nil
}
