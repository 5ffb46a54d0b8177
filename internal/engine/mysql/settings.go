package mysql

import (
	"fmt"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// Effective is what the option file comes to: each setting with the value that
// the server will take, the last of several. Settings that add up are joined.
func Effective(c engine.Config) (map[string]string, error) {
	_, s, err := resolve(c.Version)
	if err != nil {
		return nil, fmt.Errorf("resolving settings: %w", err)
	}
	out := map[string]string{}
	for _, part := range [][]setting{defaults(c), parameters(c.Parameters), owned(s, c)} {
		for _, set := range part {
			name := strings.TrimPrefix(set.name, "loose_")
			if name == "plugin_load_add" && out[name] != "" {
				out[name] += ";" + set.value
				continue
			}
			out[name] = set.value
		}
	}
	return out, nil
}
