package page

import (
	"fmt"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// typeName says what to write for a field, in words.
func typeName(field *apiextensions.JSONSchemaProps) string {
	switch {
	case field.XIntOrString:
		return "integer or string"
	case field.Items != nil && field.Items.Schema != nil:
		return "list of " + plural(typeName(field.Items.Schema))
	case field.AdditionalProperties != nil && field.AdditionalProperties.Schema != nil:
		return "map of " + plural(typeName(field.AdditionalProperties.Schema))
	case field.Format == "date-time":
		return "time"
	default:
		return field.Type
	}
}

func plural(name string) string {
	if name == "integer or string" {
		return "integers or strings"
	}
	return name + "s"
}

func defaultText(field *apiextensions.JSONSchemaProps) string {
	if field.Default == nil {
		return ""
	}
	return "`" + string(field.Default.Raw) + "`"
}

// rulesText lists what the API server checks, the values of a list or map
// included.
func rulesText(field *apiextensions.JSONSchemaProps, required bool) string {
	var rules []string
	if required {
		rules = append(rules, "required")
	}
	rules = append(rules, own(field)...)
	var values *apiextensions.JSONSchemaProps
	switch {
	case field.Items != nil:
		values = field.Items.Schema
	case field.AdditionalProperties != nil:
		values = field.AdditionalProperties.Schema
	}
	// An object's own table tells the rules of its values.
	if values != nil && len(values.Properties) == 0 {
		for _, rule := range own(values) {
			rules = append(rules, "each value: "+rule)
		}
	}
	return strings.Join(rules, "; ")
}

func own(field *apiextensions.JSONSchemaProps) []string {
	var rules []string
	if len(field.Enum) > 0 {
		words := make([]string, len(field.Enum))
		for i, value := range field.Enum {
			words[i] = "`" + strings.Trim(string(value.Raw), `"`) + "`"
		}
		rules = append(rules, "one of "+strings.Join(words, ", "))
	}
	if field.Minimum != nil {
		rules = append(rules, fmt.Sprintf("at least %v", *field.Minimum))
	}
	if field.Maximum != nil {
		rules = append(rules, fmt.Sprintf("at most %v", *field.Maximum))
	}
	for _, limit := range []struct {
		format string
		value  *int64
	}{
		{"at least %d character", field.MinLength},
		{"at most %d characters", field.MaxLength},
		{"at most %d items", field.MaxItems},
		{"at most %d entries", field.MaxProperties},
	} {
		if limit.value != nil {
			rules = append(rules, fmt.Sprintf(limit.format, *limit.value))
		}
	}
	if len(field.XListMapKeys) > 0 {
		rules = append(rules, "one item for each "+strings.Join(field.XListMapKeys, " and "))
	}
	if field.Pattern != "" {
		rules = append(rules, "matches `"+field.Pattern+"`")
	}
	if len(field.Properties) == 0 {
		for _, rule := range field.XValidations {
			rules = append(rules, ruleText(rule))
		}
	}
	return rules
}

func ruleText(rule apiextensions.ValidationRule) string {
	if strings.Contains(rule.Rule, "oldSelf") {
		return "fixed: " + rule.Message
	}
	return rule.Message
}
