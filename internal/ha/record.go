package ha

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Record is the content of the register: who leads and which rule is in force.
// Version grows by one with every write, Term by one when the leader changes;
// neither is ever used for two different records.
type Record struct {
	Version int64 `json:"version"`
	Term    int64 `json:"term"`
	// Leader is the uid of the leading member, empty while there is none.
	Leader string `json:"leader,omitempty"`
	Rule
	// Profile names the set of timings that all members use.
	Profile string `json:"profile,omitempty"`
}

// First is the record that member 0 of a Database that was never initialised
// writes: version 1, no term yet, no leader, itself as the only member.
func First(uid, profile string) Record {
	return Record{Version: 1, Rule: Rule{Members: []string{uid}, Acks: 1}, Profile: profile}
}

// Next is the record that follows r under the same leader, with another rule.
func (r Record) Next(rule Rule) Record {
	r.Version++
	r.Rule = rule
	return r
}

// Equal compares by content.
func (r Record) Equal(o Record) bool {
	return r.Version == o.Version && r.Term == o.Term && r.Leader == o.Leader && r.Profile == o.Profile && r.Rule.Equal(o.Rule)
}

// Claim is the record by which uid takes the lead of r's rule: the next
// version and the next term.
func (r Record) Claim(uid string) Record {
	r.Version++
	r.Term++
	r.Leader = uid
	return r
}

// Validate returns an error that names the first thing no writer of ours could
// have produced.
func (r Record) Validate() error {
	switch {
	case r.Version < 1:
		return fmt.Errorf("record version %d is below 1", r.Version)
	case r.Term < 0:
		return fmt.Errorf("record term %d is negative", r.Term)
	case len(r.Members) == 0:
		return errors.New("record names no member")
	case slices.Contains(r.Members, ""):
		return errors.New("record names a member without a uid")
	case !slices.IsSorted(r.Members):
		return errors.New("record members are not sorted")
	case len(slices.Compact(slices.Clone(r.Members))) < len(r.Members):
		return errors.New("record names a member twice")
	case r.Acks < 1 || r.Acks > len(r.Members):
		return fmt.Errorf("record asks %d of %d members to acknowledge", r.Acks, len(r.Members))
	case r.Leader != "" && !r.Names(r.Leader):
		return fmt.Errorf("record's leader %q is not one of its members", r.Leader)
	case r.Leader != "" && r.Term == 0:
		return errors.New("record has a leader but no term")
	}
	return nil
}

// ParseRecord reads the JSON form and validates it.
func ParseRecord(text string) (Record, error) {
	var r Record
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return Record{}, fmt.Errorf("reading record: %w", err)
	}
	if err := r.Validate(); err != nil {
		return Record{}, fmt.Errorf("reading record: %w", err)
	}
	return r, nil
}

// Encode is the JSON form that ParseRecord reads.
func (r Record) Encode() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // a struct of strings and numbers always encodes
	}
	return string(text)
}

// String draws the record for logs and test output.
func (r Record) String() string {
	leader := r.Leader
	if leader == "" {
		leader = "nobody"
	}
	return fmt.Sprintf("v%d t%d %s leads %v", r.Version, r.Term, leader, r.Rule)
}
