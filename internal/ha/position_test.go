package ha_test

import (
	"fmt"
	"testing"

	"github.com/myuser/db-operator/internal/ha"
)

// line is a log that can only be longer or shorter.
type line int

func (l line) Compare(other ha.Log) ha.Order {
	switch o := other.(line); {
	case l < o:
		return ha.Behind
	case l > o:
		return ha.Ahead
	default:
		return ha.Equal
	}
}

func (l line) String() string { return fmt.Sprint(int(l)) }

func at(term, incarnation int64, log ha.Log) ha.Position {
	return ha.Position{Session: ha.Session{Term: term, Incarnation: incarnation}, Log: log}
}

func TestPositionsAreOrderedBySessionThenLog(t *testing.T) {
	for name, c := range map[string]struct {
		p, other ha.Position
		want     ha.Order
	}{
		"the same":                           {at(1, 1, line(5)), at(1, 1, line(5)), ha.Equal},
		"a longer log":                       {at(1, 1, line(6)), at(1, 1, line(5)), ha.Ahead},
		"a later term beats a longer log":    {at(2, 1, line(1)), at(1, 9, line(5)), ha.Ahead},
		"a later session beats a longer log": {at(1, 2, line(1)), at(1, 1, line(5)), ha.Ahead},
		"an earlier term":                    {at(1, 1, line(5)), at(2, 1, line(1)), ha.Behind},
		"unknown is not low":                 {at(1, 1, nil), at(9, 9, line(5)), ha.Unknown},
		"unknown is not high":                {at(9, 9, line(5)), at(1, 1, nil), ha.Unknown},
	} {
		if got := c.p.Compare(c.other); got != c.want {
			t.Errorf("%s: %v is %v to %v, want %v", name, c.p, got, c.other, c.want)
		}
		if got := c.other.Compare(c.p); got != c.want.Reverse() {
			t.Errorf("%s, turned round: %v, want %v", name, got, c.want.Reverse())
		}
	}
}

func TestHoldsAsksForTheVerySession(t *testing.T) {
	session := ha.Session{Term: 2, Incarnation: 1}
	for name, c := range map[string]struct {
		p    ha.Position
		mark ha.Log
		want bool
	}{
		"at the mark":         {at(2, 1, line(5)), line(5), true},
		"past it":             {at(2, 1, line(6)), line(5), true},
		"short of it":         {at(2, 1, line(4)), line(5), false},
		"in a later session":  {at(3, 1, line(9)), line(5), false},
		"in an earlier one":   {at(1, 1, line(9)), line(5), false},
		"unknown":             {at(2, 1, nil), line(5), false},
		"no mark, no promise": {at(2, 1, line(5)), nil, false},
	} {
		if got := c.p.Holds(session, c.mark); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
