package engine

import "testing"

func TestChange(t *testing.T) {
	for name, c := range map[string]struct {
		from, to Version
		want     VersionChange
	}{
		"the same text changes nothing":                {Version{"17", "5"}, Version{"17", "5"}, SameVersion},
		"a newer patch stays within the series":        {Version{"17", "5"}, Version{"17", "12"}, WithinSeries},
		"patches compare as numbers":                   {Version{"17", "12"}, Version{"17", "5"}, BackwardPatch},
		"the newest patch stays within the series":     {Version{"17", "5"}, Version{"17", ""}, WithinSeries},
		"another series is another on-disk format":     {Version{"8.0", ""}, Version{"8.4", ""}, AcrossSeries},
		"a longer patch number is newer than its stem": {Version{"9.7", "4"}, Version{"9.7", "4.1"}, WithinSeries},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Change(c.from, c.to); got != c.want {
				t.Errorf("Change(%v, %v) = %d, want %d", c.from, c.to, got, c.want)
			}
		})
	}
}
