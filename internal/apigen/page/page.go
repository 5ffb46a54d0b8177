// Package page renders the API reference from a CustomResourceDefinition: a
// table for each object, with what a field is, its default and its rules. It
// adds nothing that the schema does not say.
package page

import (
	"bytes"
	"fmt"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/myuser/db-operator/api/v1"
)

// Render makes the page. The same manifest gives the same bytes.
func Render(manifest []byte) ([]byte, error) {
	crd := new(apiextensions.CustomResourceDefinition)
	if err := yaml.UnmarshalStrict(manifest, crd); err != nil {
		return nil, fmt.Errorf("reading the manifest: %w", err)
	}
	out := new(bytes.Buffer)
	names := crd.Spec.Names
	fmt.Fprintf(out, "<!-- Made by internal/apigen from config/crd: run make generate. -->\n# API reference\n\n")
	for _, version := range crd.Spec.Versions {
		root := version.Schema.OpenAPIV3Schema
		fmt.Fprintf(out, "`apiVersion: %s/%s`, `kind: %s`, %s; short name `%s`.\n\n",
			crd.Spec.Group, version.Name, names.Kind, strings.ToLower(string(crd.Spec.Scope)), strings.Join(names.ShortNames, "`, `"))
		fmt.Fprintf(out, "%s\n\n", paragraphs(root.Description))
		fmt.Fprint(out, "A field without a default that is not required may be left out. "+
			"What the rules refuse, the API server refuses at once; what only one engine refuses is said by a condition.\n\n")
		rules := make([]string, 0, len(root.XValidations))
		for _, rule := range root.XValidations {
			rules = append(rules, "- "+rule.Message+"\n")
		}
		fmt.Fprintf(out, "Rules of the whole object:\n\n%s\n", strings.Join(rules, ""))
		for _, section := range sections("", root) {
			section.write(out)
		}
	}
	writeReserved(out)
	return out.Bytes(), nil
}

func writeReserved(out *bytes.Buffer) {
	fmt.Fprint(out, "## Reserved parameters\n\n"+
		"`spec.parameters` may not hold these names, whatever the engine, nor one of them with `skip_` or `enable_` before it: "+
		"the operator sets them itself, to keep data safe and members reachable.\n\n")
	fmt.Fprintf(out, "`%s`\n\n", strings.Join(v1.ReservedParameters, "`, `"))
	fmt.Fprintf(out, "Nor any name that begins with\n\n`%s`\n", strings.Join(v1.ReservedParameterFamilies, "`, `"))
}

// paragraphs joins the lines of each paragraph, which are broken for source
// code.
func paragraphs(text string) string {
	blocks := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, block := range blocks {
		blocks[i] = strings.Join(strings.Fields(block), " ")
	}
	return strings.Join(blocks, "\n\n")
}
