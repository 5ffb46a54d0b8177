package v1

import (
	"strings"
	"testing"
)

func TestReservedParametersAreSaidOnce(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range ReservedParameters {
		if seen[name] {
			t.Errorf("%s stands there twice", name)
		}
		seen[name] = true
		if name != strings.ToLower(name) || strings.ContainsAny(name, "-. ") {
			t.Errorf("%q is not the spelling that the schema asks for", name)
		}
		for _, family := range ReservedParameterFamilies {
			if strings.HasPrefix(name, family) {
				t.Errorf("%s is of the family %s already", name, family)
			}
		}
	}
}
