// Package crd carries the manifest of the kind Database as it is installed, so
// that programs and tests speak of the very file that users apply. The
// manifest is made by "make generate" from api/v1.
//
// The package knows no cluster: it answers from the documents it is given.
package crd

import (
	_ "embed"
	"fmt"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed bases/example.com_databases.yaml
var databases []byte

// Manifest is the YAML of the CustomResourceDefinition.
func Manifest() []byte { return slices.Clone(databases) }

// Definition is the CustomResourceDefinition, a new copy with each call.
func Definition() *apiextensions.CustomResourceDefinition {
	definition := new(apiextensions.CustomResourceDefinition)
	if err := yaml.UnmarshalStrict(databases, definition); err != nil {
		panic(fmt.Sprintf("reading the embedded manifest: %v", err)) // the generator wrote it
	}
	return definition
}

// Missing lists the fields that this program's Databases have and installed
// does not: an API server would drop them without a word. It is empty when
// installed is of this release or a newer one.
func Missing(installed *apiextensions.CustomResourceDefinition) []string {
	var missing []string
	for _, wanted := range Definition().Spec.Versions {
		have := slices.IndexFunc(installed.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
			return v.Name == wanted.Name && v.Served
		})
		if have < 0 || installed.Spec.Versions[have].Schema == nil {
			missing = append(missing, "version "+wanted.Name)
			continue
		}
		missing = append(missing, missingFields("", wanted.Schema.OpenAPIV3Schema, installed.Spec.Versions[have].Schema.OpenAPIV3Schema)...)
	}
	slices.Sort(missing)
	return missing
}

func missingFields(path string, wanted, have *apiextensions.JSONSchemaProps) []string {
	if have == nil {
		return []string{path}
	}
	if have.XPreserveUnknownFields != nil && *have.XPreserveUnknownFields {
		return nil
	}
	var missing []string
	for name, field := range wanted.Properties {
		child := path + "." + name
		if path == "" {
			child = name
		}
		if installed, ok := have.Properties[name]; ok {
			missing = append(missing, missingFields(child, &field, &installed)...)
		} else {
			missing = append(missing, child)
		}
	}
	if wanted.Items != nil && wanted.Items.Schema != nil {
		var items *apiextensions.JSONSchemaProps
		if have.Items != nil {
			items = have.Items.Schema
		}
		missing = append(missing, missingFields(path+"[]", wanted.Items.Schema, items)...)
	}
	return missing
}
