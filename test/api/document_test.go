//go:build apiserver

package api

import (
	"encoding/json"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// base is what every case changes a little.
const base = `
apiVersion: example.com/v1
kind: Database
metadata: {name: base}
spec: {engine: postgres, version: "17"}
`

// document is base with each change merged into it; a change is YAML, in which
// null removes a field.
func document(t *testing.T, namespace string, changes ...string) *unstructured.Unstructured {
	t.Helper()
	merged := toJSON(t, base)
	for _, change := range changes {
		if strings.TrimSpace(change) == "" {
			continue
		}
		var err error
		if merged, err = jsonpatch.MergePatch(merged, toJSON(t, change)); err != nil {
			t.Fatalf("merging %s: %v", change, err)
		}
	}
	object := new(unstructured.Unstructured)
	if err := json.Unmarshal(merged, &object.Object); err != nil {
		t.Fatalf("reading %s: %v", merged, err)
	}
	object.SetNamespace(namespace)
	return object
}

func toJSON(t *testing.T, text string) []byte {
	t.Helper()
	out, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("reading %s: %v", text, err)
	}
	return out
}
