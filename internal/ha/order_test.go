package ha_test

import (
	"testing"

	"github.com/myuser/db-operator/internal/ha"
)

func TestReverseIsTheOtherSide(t *testing.T) {
	for order, want := range map[ha.Order]ha.Order{
		ha.Unknown: ha.Unknown, ha.Equal: ha.Equal, ha.Ahead: ha.Behind, ha.Behind: ha.Ahead, ha.Diverged: ha.Diverged,
	} {
		if got := order.Reverse(); got != want {
			t.Errorf("%s reversed is %s, want %s", order, got, want)
		}
		if got := order.Reverse().Reverse(); got != order {
			t.Errorf("%s reversed twice is %s", order, got)
		}
	}
}

func TestTheZeroOrderKnowsNothing(t *testing.T) {
	var order ha.Order
	if order != ha.Unknown || order.String() != "unknown" {
		t.Errorf("it is %s", order)
	}
}

func TestSessionsShowBothNumbers(t *testing.T) {
	if got := (ha.Session{Term: 3, Incarnation: 7}).String(); got != "(3,7)" {
		t.Errorf("got %s", got)
	}
}
