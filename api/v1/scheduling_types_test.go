package v1

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestPodAffinity(t *testing.T) {
	cases := map[string]struct{ raw, wantError string }{
		"as in a pod":         {`{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[]}}`, ""},
		"nothing in it":       {`{}`, ""},
		"a mistyped field":    {`{"nodeAffinty":{}}`, `unknown field "nodeAffinty"`},
		"a field of no sense": {`{"nodeAffinity":"near"}`, "nodeAffinity"},
		"not an object":       {`[]`, "spec.scheduling.affinity"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := Scheduling{Affinity: &runtime.RawExtension{Raw: []byte(c.raw)}}.PodAffinity()
			if c.wantError == "" && (err != nil || got == nil) {
				t.Fatalf("got %v, %v", got, err)
			}
			if c.wantError != "" && (err == nil || !strings.Contains(err.Error(), c.wantError)) {
				t.Errorf("got the error %v, want one with %q", err, c.wantError)
			}
		})
	}
	if got, err := (Scheduling{}).PodAffinity(); got != nil || err != nil {
		t.Errorf("without an affinity: %v, %v", got, err)
	}
}

func FuzzPodAffinity(f *testing.F) {
	f.Add([]byte(`{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"a"}]}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Scheduling{Affinity: &runtime.RawExtension{Raw: raw}}.PodAffinity()
		if err != nil && got != nil {
			t.Error("both an affinity and an error")
		}
	})
}
