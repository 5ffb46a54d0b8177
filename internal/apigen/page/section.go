package page

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// section is the table of one object.
type section struct {
	path   string
	object *apiextensions.JSONSchemaProps
}

// sections lists object and every object below it, parents first.
func sections(path string, object *apiextensions.JSONSchemaProps) []section {
	var found []section
	if path != "" {
		found = append(found, section{path, object})
	}
	for _, name := range fieldNames(object) {
		field := object.Properties[name]
		child := strings.TrimPrefix(path+"."+name, ".")
		if field.Items != nil && field.Items.Schema != nil {
			field, child = *field.Items.Schema, child+"[]"
		}
		if len(field.Properties) > 0 {
			found = append(found, sections(child, &field)...)
		}
	}
	return found
}

// fieldNames puts required fields first; apiVersion, kind and metadata are
// those of every object and left out.
func fieldNames(object *apiextensions.JSONSchemaProps) []string {
	names := slices.Sorted(maps.Keys(object.Properties))
	if _, root := object.Properties["apiVersion"]; root {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "apiVersion" || n == "kind" || n == "metadata" })
	}
	required := func(name string) int {
		if slices.Contains(object.Required, name) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return required(a) - required(b) })
	return names
}

func (s section) write(out *bytes.Buffer) {
	fmt.Fprintf(out, "## %s\n\n", s.path)
	if s.object.Description != "" {
		fmt.Fprintf(out, "%s\n\n", paragraphs(s.object.Description))
	}
	for _, rule := range s.object.XValidations {
		fmt.Fprintf(out, "- %s\n", ruleText(rule))
	}
	if len(s.object.XValidations) > 0 {
		fmt.Fprintln(out)
	}
	fmt.Fprint(out, "| Field | Type | Default | Rules | Meaning |\n|---|---|---|---|---|\n")
	for _, name := range fieldNames(s.object) {
		field := s.object.Properties[name]
		fmt.Fprintf(out, "| `%s` | %s | %s | %s | %s |\n", name,
			cell(typeName(&field)), cell(defaultText(&field)),
			cell(rulesText(&field, slices.Contains(s.object.Required, name))), cell(paragraphs(field.Description)))
	}
	fmt.Fprintln(out)
}

// cell keeps text inside one cell of a Markdown table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n\n", "<br>", "\n", " ", "<name>", "&lt;name&gt;", "<domain>", "&lt;domain&gt;", "<size>", "&lt;size&gt;").Replace(text)
}
