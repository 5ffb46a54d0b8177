package sim

// entries is a log that grows. All but its last run are shared with the images
// taken of it, and never changed.
type entries struct {
	segs   []seg
	length int64
}

// add appends the entries of a run.
func (l *entries) add(s seg) {
	l.length += s.hi - s.lo
	if n := len(l.segs); n > 0 {
		if last := &l.segs[n-1]; last.branch == s.branch && last.hi == s.lo {
			last.hi = s.hi
			return
		}
		if last := &l.segs[n-1]; last.lo == last.hi {
			*last = s
			return
		}
	}
	l.segs = append(l.segs, s)
}

// image is the log up to a length.
func (l *entries) image(h *history, f flavour, length int64) *image {
	i, end := l.find(length)
	last := l.segs[i]
	last.hi = end
	return &image{history: h, flavour: f, closed: l.segs[:i:i], last: last, length: length}
}

// find is the run in which the log reaches a length, and the index there.
func (l *entries) find(length int64) (int, int64) {
	i, rest := len(l.segs)-1, l.length-length
	for i > 0 && rest >= l.segs[i].hi-l.segs[i].lo {
		if rest == 0 && l.segs[i].hi == l.segs[i].lo {
			break // a branch that was begun and has no entry yet
		}
		rest -= l.segs[i].hi - l.segs[i].lo
		i--
	}
	return i, l.segs[i].hi - rest
}

// cut is the log up to a length, with no memory shared.
func (l *entries) cut(length int64) entries {
	i, end := l.find(length)
	segs := append(make([]seg, 0, i+4), l.segs[:i+1]...)
	segs[i].hi = end
	return entries{segs, length}
}

// entriesOf is a log like the image, to be continued.
func entriesOf(l *image) entries {
	segs := append(make([]seg, 0, l.segs()+4), l.closed...)
	return entries{append(segs, l.last), l.length}
}
