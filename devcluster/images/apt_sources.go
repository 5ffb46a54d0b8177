package images

import (
	"fmt"
	"strings"
)

// A source is one package source of the machine's apt configuration.
type source struct {
	URI        string
	Suite      string
	Components []string
	Options    map[string]string // as in a one-line source: signed-by, trusted, …
	Key        string            // a key written into the source instead of a path
}

// parseOneLine reads sources in the one-line format of sources.list(5). Lines
// that are not binary package sources are skipped; a line that cannot be read
// is an error that names it.
func parseOneLine(text string) ([]source, error) {
	var sources []source
	for number, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		kind, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if kind != "deb" {
			continue
		}
		rest = strings.TrimSpace(rest)
		options := map[string]string{}
		if strings.HasPrefix(rest, "[") {
			inside, after, closed := strings.Cut(rest[1:], "]")
			if !closed {
				return nil, fmt.Errorf("line %d: options without a closing bracket", number+1)
			}
			for _, option := range strings.Fields(inside) {
				name, value, _ := strings.Cut(option, "=")
				options[strings.ToLower(strings.TrimRight(name, "+-"))] = value
			}
			rest = after
		}
		fields := strings.Fields(rest)
		if len(fields) < 2 {
			return nil, fmt.Errorf("line %d: a source needs an address and a suite", number+1)
		}
		sources = append(sources, source{URI: fields[0], Suite: fields[1], Components: fields[2:], Options: options})
	}
	return sources, nil
}

// parseDeb822 reads sources in the stanza format of sources.list(5). Disabled
// stanzas and those without binary packages are skipped.
func parseDeb822(text string) ([]source, error) {
	var sources []source
	for _, stanza := range stanzas(text) {
		fields, err := fieldsOf(stanza)
		if err != nil {
			return nil, err
		}
		if disabled(fields["enabled"]) || !contains(strings.Fields(fields["types"]), "deb") {
			continue
		}
		options, key := map[string]string{}, ""
		for _, name := range []string{"signed-by", "trusted", "check-valid-until", "allow-insecure", "allow-weak"} {
			value := strings.TrimSpace(fields[name])
			switch {
			case value == "":
			case strings.Contains(value, "\n") || strings.Contains(value, "BEGIN PGP"):
				key = embeddedKey(value)
			default:
				options[name] = strings.Join(strings.Fields(value), ",")
			}
		}
		for _, uri := range strings.Fields(fields["uris"]) {
			for _, suite := range strings.Fields(fields["suites"]) {
				sources = append(sources, source{
					URI: uri, Suite: suite, Components: strings.Fields(fields["components"]),
					Options: options, Key: key,
				})
			}
		}
	}
	return sources, nil
}

// stanzas splits at empty lines, without comments.
func stanzas(text string) [][]string {
	var all [][]string
	var current []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		switch {
		case strings.HasPrefix(line, "#"):
		case line == "":
			all, current = append(all, current), nil
		default:
			current = append(current, line)
		}
	}
	return append(all, current)
}

func fieldsOf(stanza []string) (map[string]string, error) {
	fields, last := map[string]string{}, ""
	for _, line := range stanza {
		if line[0] == ' ' || line[0] == '\t' {
			if last == "" {
				return nil, fmt.Errorf("line %q continues nothing", line)
			}
			fields[last] += "\n" + strings.TrimSpace(line)
			continue
		}
		name, value, found := strings.Cut(line, ":")
		if !found {
			return nil, fmt.Errorf("line %q has no field name", line)
		}
		last = strings.ToLower(strings.TrimSpace(name))
		fields[last] = strings.TrimSpace(value)
	}
	return fields, nil
}

// embeddedKey undoes the quoting of a key in a stanza: " ." is an empty line.
func embeddedKey(value string) string {
	lines := strings.Split(value, "\n")
	for i, line := range lines {
		if line == "." {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func disabled(enabled string) bool {
	switch strings.ToLower(enabled) {
	case "no", "false", "0", "off", "without", "disable":
		return true
	}
	return false
}

func contains(list []string, wanted string) bool {
	for _, element := range list {
		if element == wanted {
			return true
		}
	}
	return false
}
