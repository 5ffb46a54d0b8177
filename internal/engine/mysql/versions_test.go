package mysql

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

func TestResolve(t *testing.T) {
	for version, want := range map[string]engine.Version{
		"8.0":     {Series: "8.0"},
		"8.0.37":  {Series: "8.0", Patch: "37"},
		"8.4":     {Series: "8.4"},
		"8.4.13":  {Series: "8.4", Patch: "13"},
		"9.7":     {Series: "9.7"},
		"9.7.4":   {Series: "9.7", Patch: "4"},
		"9.7.4.1": {Series: "9.7", Patch: "4.1"},
		"26.7":    {Series: "26", Patch: "7"},
		"26.10":   {Series: "26", Patch: "10"},
		"26.10.1": {Series: "26", Patch: "10.1"},
	} {
		t.Run(version, func(t *testing.T) {
			got, err := Profile{}.Resolve(version)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResolveSaysWhatMayBeWritten(t *testing.T) {
	for _, version := range []string{"", "8", "9", "26", "5.7", "8.1", "8.0.36", "9.8", "9.70", "26.1", "26.6", "26.13", "26.07", "27.1", "8.4-oracle", "v8.4", "8.4.", "latest", "8.4.1.2.3"} {
		t.Run(version, func(t *testing.T) {
			got, err := Profile{}.Resolve(version)
			var unsupported *engine.UnsupportedVersion
			if !errors.As(err, &unsupported) {
				t.Fatalf("Resolve(%q) = %v, %v, want an UnsupportedVersion", version, got, err)
			}
			if len(unsupported.Supported) == 0 || unsupported.Version != version {
				t.Errorf("Resolve(%q) said %v", version, err)
			}
		})
	}
}

func TestCalendarReleasesAreOneSeriesThatOnlyMovesForward(t *testing.T) {
	old, _ := Profile{}.Resolve("26.7")
	now, _ := Profile{}.Resolve("26.10")
	if got := engine.Change(old, now); got != engine.WithinSeries {
		t.Errorf("26.7 to 26.10 is %d, want WithinSeries", got)
	}
	if got := engine.Change(now, old); got != engine.BackwardPatch {
		t.Errorf("26.10 to 26.7 is %d, want BackwardPatch", got)
	}
}

func FuzzResolve(f *testing.F) {
	for _, v := range []string{"8.0", "26.10", "8.0.37", "..", "9.7.99999"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, version string) {
		v, err := Profile{}.Resolve(version)
		if err != nil {
			return
		}
		whole := v.Series
		if v.Patch != "" {
			whole += "." + v.Patch
		}
		if whole != version {
			t.Errorf("Resolve(%q) = %v, whose parts make %q", version, v, whole)
		}
	})
}
