package crd

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// A manifest of more than this is a burden in every bundle, chart and diff.
const mostBytes = 64 << 10

func TestManifestIsSmall(t *testing.T) {
	if size := len(Manifest()); size > mostBytes {
		t.Errorf("%d bytes of YAML, more than %d", size, mostBytes)
	} else {
		t.Logf("%d bytes of YAML", size)
	}
}

func TestEveryFieldIsDescribed(t *testing.T) {
	var visit func(path string, schema *apiextensions.JSONSchemaProps)
	visit = func(path string, schema *apiextensions.JSONSchemaProps) {
		for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
			field := schema.Properties[name]
			child := strings.TrimPrefix(path+"."+name, ".")
			// The API server describes what every object has.
			everywhere := child == "apiVersion" || child == "kind" || child == "metadata"
			if !everywhere && !strings.HasSuffix(strings.TrimSpace(field.Description), ".") {
				t.Errorf("%s is not described in sentences: %q", child, field.Description)
			}
			visit(child, &field)
		}
		if schema.Items != nil {
			visit(path+"[]", schema.Items.Schema)
		}
	}
	visit("", Definition().Spec.Versions[0].Schema.OpenAPIV3Schema)
}

func TestEveryRuleSaysWhatToDo(t *testing.T) {
	var visit func(path string, schema *apiextensions.JSONSchemaProps)
	visit = func(path string, schema *apiextensions.JSONSchemaProps) {
		for _, rule := range schema.XValidations {
			if rule.Message == "" {
				t.Errorf("%s: the rule %s has no message", path, rule.Rule)
			}
		}
		for name, child := range schema.Properties {
			visit(path+"."+name, &child)
		}
		if schema.Items != nil {
			visit(path+"[]", schema.Items.Schema)
		}
		if schema.AdditionalProperties != nil {
			visit(path+"{}", schema.AdditionalProperties.Schema)
		}
	}
	visit("", Definition().Spec.Versions[0].Schema.OpenAPIV3Schema)
}

func TestInstalledKindMissesNothing(t *testing.T) {
	if missing := Missing(Definition()); len(missing) > 0 {
		t.Errorf("the own manifest misses %v", missing)
	}
	older := Definition()
	root := older.Spec.Versions[0].Schema.OpenAPIV3Schema
	delete(root.Properties["spec"].Properties, "durability")
	delete(root.Properties["status"].Properties["members"].Items.Schema.Properties, "lag")
	want := []string{"spec.durability", "status.members[].lag"}
	if diff := cmp.Diff(want, Missing(older)); diff != "" {
		t.Errorf("an older manifest (-want +got):\n%s", diff)
	}
}
