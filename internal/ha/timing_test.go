package ha_test

import (
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

func TestEveryProfileOutlastsAnOldLeader(t *testing.T) {
	for _, name := range []string{"", ha.Fast, ha.Standard, ha.Far} {
		if err := ha.TimingsOf(name).Validate(); err != nil {
			t.Errorf("profile %q: %v", name, err)
		}
	}
}

func TestTimingsThatAreNotSafe(t *testing.T) {
	for name, change := range map[string]func(*ha.Timings){
		"withholding ends as the leader does": func(t *ha.Timings) { t.Withhold = t.Fence + t.Kill },
		"only the clocks' rates break it":     func(t *ha.Timings) { t.Withhold = t.Fence + t.Kill + 20*time.Millisecond },
		"a weaker rule comes after the fence": func(t *ha.Timings) { t.Weaken = t.Fence },
	} {
		timings := ha.TimingsOf(ha.Fast)
		change(&timings)
		if timings.Validate() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
