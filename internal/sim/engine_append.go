package sim

// append takes over the leader's entries that the follower does not have.
func (d *data) append(c *conn, upTo int64) {
	from := &c.from.data.log
	skip := c.cursor
	rest := upTo - skip
	// The newest run is all there is to send, nearly always.
	if last := from.segs[len(from.segs)-1]; from.length-skip <= last.hi-last.lo && (c.cursor > 0 || c.from.flavour == timelines) {
		lo := last.hi - (from.length - skip)
		d.add(c, seg{last.branch, lo, lo + rest})
		return
	}
	for _, s := range from.segs {
		n := s.hi - s.lo
		if skip >= n {
			skip -= n
			continue
		}
		s.lo += skip
		skip = 0
		s.hi = min(s.hi, s.lo+rest)
		rest -= s.hi - s.lo
		if s.lo < s.hi {
			d.add(c, s)
		}
	}
}

// add appends a run; of sets, what of it the follower has not got by number.
func (d *data) add(c *conn, s seg) {
	to := c.to
	if to.flavour == timelines {
		d.newest = max(d.newest, to.w.history.branches[s.branch].mark)
		d.log.add(s)
		return
	}
	mark := to.w.history.branches[s.branch].mark
	if last := d.log.segs[len(d.log.segs)-1]; last.branch == s.branch && last.hi == s.lo {
		d.log.add(s)
		return
	}
	have := d.image(to, d.log.length)
	for s.lo < s.hi {
		lo := have.numbered(mark, s.lo, s.hi)
		if lo == s.hi {
			return
		}
		hi := have.nextHave(mark, lo, s.hi)
		d.log.add(seg{s.branch, lo, hi})
		s.lo = hi
	}
}

// nextHave is the first number from lo on that the log has, at most hi.
func (l *image) nextHave(mark int32, lo, hi int64) int64 {
	for i := range l.segs() {
		if s := l.seg(i); l.mark(s) == mark && s.lo >= lo && s.lo < hi && s.lo < s.hi {
			hi = s.lo
		}
	}
	return hi
}
