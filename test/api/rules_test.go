//go:build apiserver

package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// rulesOf lists every rule of a schema as "<path> <what>": for a CEL rule,
// what is its message, for all else the keyword and its value.
func rulesOf(path string, schema *apiextensions.JSONSchemaProps) []string {
	var found []string
	add := func(what string, args ...any) {
		found = append(found, strings.TrimSpace(path+" "+fmt.Sprintf(what, args...)))
	}
	for _, rule := range schema.XValidations {
		add("%s", rule.Message)
	}
	for _, name := range schema.Required {
		add("required %s", name)
	}
	if len(schema.Enum) > 0 {
		add("enum")
	}
	if schema.Minimum != nil {
		add("minimum %v", *schema.Minimum)
	}
	if schema.Maximum != nil {
		add("maximum %v", *schema.Maximum)
	}
	for keyword, value := range map[string]*int64{
		"minLength": schema.MinLength, "maxLength": schema.MaxLength,
		"minItems": schema.MinItems, "maxItems": schema.MaxItems,
		"minProperties": schema.MinProperties, "maxProperties": schema.MaxProperties,
	} {
		if value != nil {
			add("%s %d", keyword, *value)
		}
	}
	if schema.Pattern != "" {
		add("pattern")
	}
	// int64 is no rule: JSON of this size is refused by the parser.
	if schema.Format != "" && schema.Format != "int64" {
		add("format %s", schema.Format)
	}
	if list := schema.XListType; list != nil && *list != "atomic" {
		add("unique")
	}
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		child := schema.Properties[name]
		found = append(found, rulesOf(strings.TrimPrefix(path+"."+name, "."), &child)...)
	}
	if schema.Items != nil {
		found = append(found, rulesOf(path+"[]", schema.Items.Schema)...)
	}
	if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
		found = append(found, rulesOf(path+"{}", schema.AdditionalProperties.Schema)...)
	}
	slices.Sort(found)
	return found
}
