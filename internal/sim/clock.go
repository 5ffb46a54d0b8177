package sim

import "time"

// clock is what one machine believes about time. Its monotonic clock runs at a
// rate of its own, and may stand still while true time goes on: with the
// machine suspended, when a second clock shows what was missed, or with the
// machine stopped from outside, when nothing does.
type clock struct {
	offset time.Duration
	rate   int64         // millionths too fast
	since  time.Duration // true time at which it showed offset
	still  time.Duration // true time at which it stopped; -1: it runs
	missed time.Duration // that the second clock shows and the first does not
}

// drawClock is a clock within the error that the protocol allows for.
func (w *world) drawClock() clock {
	return clock{offset: w.between(0, 1000*time.Hour), rate: w.rng.Int64N(39_000) - 19_500, since: w.clock, still: -1}
}

// now is the monotonic clock.
func (c *clock) now(trueTime time.Duration) time.Duration {
	if c.still >= 0 {
		trueTime = c.still
	}
	d := trueTime - c.since
	return c.offset + d + d/1e6*time.Duration(c.rate)
}

// boottime is the clock that goes on while the machine is suspended.
func (c *clock) boottime(trueTime time.Duration) time.Duration { return c.now(trueTime) + c.missed }

// until is the true time that passes while the clock advances by d.
func (c *clock) until(d time.Duration) time.Duration { return d - d/1e6*time.Duration(c.rate) + ms/10 }

// stop makes the clock stand still.
func (c *clock) stop(trueTime time.Duration) { c.still = trueTime }

// goOn ends that; the second clock has run if suspended.
func (c *clock) goOn(trueTime time.Duration, suspended bool) {
	if c.still < 0 {
		return
	}
	stood := trueTime - c.still
	c.since += stood
	c.still = -1
	if suspended {
		c.missed += stood
	}
}
