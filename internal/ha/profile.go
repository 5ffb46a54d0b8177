package ha

// former is the profile before the present one, for as long as a member may
// still go by it.
type former struct {
	Profile string
	Version int64 // of the record that brought the present one; 0: none
}

// timings are those of the newest record. While another profile is on its way
// to it, or to some member, they are safe beside both.
func (t *turn) timings() Timings {
	now := TimingsOf(t.Seen.Profile)
	if t.Pending.Version > 0 && t.Pending.Profile != t.Seen.Profile {
		now = now.strictest(TimingsOf(t.Pending.Profile))
	}
	if t.Role.Leads() && t.lead.former.Version > 0 {
		now = now.strictest(TimingsOf(t.lead.former.Profile))
	}
	return now
}

// profileChanged remembers the profile before r.
func (t *turn) profileChanged(r Record) {
	if r.Profile != t.Seen.Profile {
		t.lead.former = former{t.Seen.Profile, r.Version}
	}
}

// settleProfile forgets the former profile when all members know the new one.
func (t *turn) settleProfile() {
	f := &t.lead.former
	if f.Version == 0 {
		return
	}
	for _, uid := range t.Seen.Members {
		if p := t.lead.of(uid); uid != t.UID && (p == nil || p.Seen < f.Version) {
			return
		}
	}
	*f = former{}
}
