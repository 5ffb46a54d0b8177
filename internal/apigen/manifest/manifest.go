// Package manifest finishes the CRD that controller-gen writes: it puts the
// list of reserved parameters where api/v1 has a name for it. A marker must
// stand on one line, and a list of that length with its reasons must not.
package manifest

import (
	"bytes"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	v1 "github.com/myuser/db-operator/api/v1"
)

const (
	macro  = "RESERVED(k)"
	header = "# Made by controller-gen and internal/apigen from api/v1: run make generate.\n---\n"
)

// Finish returns the manifest with the macro written out and a line that says
// where it comes from. A finished manifest comes back unchanged.
func Finish(raw []byte) ([]byte, error) {
	var document any
	if err := yaml.Unmarshal(raw, &document); err != nil {
		return nil, fmt.Errorf("reading YAML: %w", err)
	}
	text, err := yaml.Marshal(expand(document))
	if err != nil {
		return nil, fmt.Errorf("writing YAML: %w", err)
	}
	return append([]byte(header), bytes.TrimPrefix(text, []byte("---\n"))...), nil
}

func expand(node any) any {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			node[key] = expand(value)
		}
	case []any:
		for i, value := range node {
			node[i] = expand(value)
		}
	case string:
		return strings.ReplaceAll(node, macro, v1.ReservedParameterRule())
	}
	return node
}
