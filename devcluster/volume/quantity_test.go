package volume_test

import (
	"testing"

	"github.com/myuser/db-operator/devcluster/volume"
)

func TestQuantitiesAreReadAsBytes(t *testing.T) {
	cases := map[string]int64{
		"0": 0, "1": 1, "1Ki": 1024, "1Gi": 1 << 30, "1.5Gi": 3 << 29, "500M": 500_000_000,
		"1e3": 1000, "1E": 1_000_000_000_000_000_000, "1500m": 2, "128974848000m": 128974848,
	}
	for text, want := range cases {
		t.Run(text, func(t *testing.T) {
			if got, err := volume.Bytes(text); err != nil || got != want {
				t.Errorf("Bytes(%q) = %d, %v; want %d", text, got, err, want)
			}
		})
	}
}

func TestWhatIsNoQuantityIsRefused(t *testing.T) {
	for _, text := range []string{"", "Gi", "1 Gi", "1gi", "-1", "1/2", "0x10", "1e99999", "9Ei", "NaN", "1__0", "1e", "1.2.3"} {
		t.Run(text, func(t *testing.T) {
			if got, err := volume.Bytes(text); err == nil {
				t.Errorf("Bytes(%q) = %d", text, got)
			}
		})
	}
}

func FuzzBytes(f *testing.F) {
	for _, seed := range []string{"1Gi", "1500m", "1e3", "", ".", "-", "1e", "99999999999Ei"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := volume.Bytes(text); err == nil && got < 0 {
			t.Errorf("Bytes(%q) = %d", text, got)
		}
	})
}
