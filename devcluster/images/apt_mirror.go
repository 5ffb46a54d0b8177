package images

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// Where apt keeps its sources, and the keys of Debian.
const (
	sourcesList    = "/etc/apt/sources.list"
	sourcesFolder  = "/etc/apt/sources.list.d"
	debianKeyring  = "/usr/share/keyrings/debian-archive-keyring.gpg"
	updatesSuffix  = "-updates"
	securitySuffix = "-security"
)

// debianSuites are the names that tell Debian's archive from any other.
var debianSuites = []string{
	"buster", "bullseye", "bookworm", "trixie", "forky", "duke", "sid",
	"oldoldstable", "oldstable", "stable", "testing", "unstable",
}

var errNoDebianArchive = errors.New("the apt configuration of this machine names no Debian archive: " +
	"add one, for example /etc/apt/sources.list.d/debian.sources, with a component main")

// A mirror is where this machine gets Debian's packages.
type mirror struct {
	archive  source
	security *source  // nil when the machine has none
	options  []string // apt settings for reaching it: proxies, retries, …
}

// findMirror reads the machine's apt configuration.
func findMirror() (mirror, error) {
	sources, err := readSources(sourcesList, sourcesFolder)
	if err != nil {
		return mirror{}, err
	}
	found, err := pickMirror(sources)
	if err != nil {
		return mirror{}, err
	}
	dump, err := exec.Command("apt-config", "dump").Output()
	if err != nil {
		return mirror{}, fmt.Errorf("reading the apt settings: %w", err)
	}
	found.options = transportOptions(string(dump))
	return found, nil
}

func readSources(list, folder string) ([]source, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil {
		return nil, fmt.Errorf("listing the apt sources: %w", err)
	}
	var all []source
	for _, name := range append([]string{list}, names...) {
		parse := parseOneLine
		switch filepath.Ext(name) {
		case ".list":
		case ".sources":
			parse = parseDeb822
		default:
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading the apt sources: %w", err)
		}
		sources, err := parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("reading the apt sources in %s: %w", name, err)
		}
		all = append(all, sources...)
	}
	return all, nil
}

// pickMirror chooses Debian's archive among the sources. Others use Debian's
// suite names too, so signs of the archive itself decide; the first of equals.
func pickMirror(sources []source) (mirror, error) {
	best, points := source{}, 0
	var security *source
	for _, s := range sources {
		if strings.HasPrefix(s.URI, "cdrom:") || !contains(s.Components, "main") {
			continue
		}
		if base, _, _ := strings.Cut(s.Suite, "/"); strings.HasSuffix(s.Suite, securitySuffix) || strings.HasSuffix(s.Suite, "/updates") {
			if contains(debianSuites, strings.TrimSuffix(base, securitySuffix)) && security == nil {
				security = &s
			}
			continue
		}
		if !contains(debianSuites, s.Suite) {
			continue
		}
		if p := likeness(s, sources); p > points {
			best, points = s, p
		}
	}
	if points == 0 {
		return mirror{}, errNoDebianArchive
	}
	return mirror{archive: best, security: security}, nil
}

func likeness(s source, sources []source) int {
	points := 1
	if strings.HasSuffix(strings.TrimRight(s.URI, "/"), "/debian") {
		points++
	}
	if strings.Contains(s.Options["signed-by"], "debian-archive") {
		points++
	}
	for _, other := range sources {
		if other.URI == s.URI && other.Suite == s.Suite+updatesSuffix {
			points++
			break
		}
	}
	return points
}

// lines are the sources for a suite in the one-line format. keyFolder is where
// keys that are written into a source are put.
func (m mirror) lines(suite string, stable bool, keyFolder string) ([]string, error) {
	wanted := []source{m.archive}
	wanted[0].Suite = suite
	if stable {
		updates := m.archive
		updates.Suite = suite + updatesSuffix
		wanted = append(wanted, updates)
		if m.security != nil {
			security := *m.security
			security.Suite = suite + securitySuffix
			wanted = append(wanted, security)
		}
	}
	var lines []string
	for _, s := range wanted {
		line, err := s.line(keyFolder)
		if err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

func (s source) line(keyFolder string) (string, error) {
	options := maps.Clone(s.Options)
	if options == nil {
		options = map[string]string{}
	}
	switch _, err := os.Stat(debianKeyring); {
	case s.Key != "":
		key := filepath.Join(keyFolder, "archive-key.asc")
		if err := os.WriteFile(key, []byte(s.Key), 0o644); err != nil {
			return "", fmt.Errorf("writing the archive's key: %w", err)
		}
		options["signed-by"] = key
	case options["signed-by"] == "" && err == nil:
		options["signed-by"] = debianKeyring
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(options)) {
		pairs = append(pairs, name+"="+options[name])
	}
	bracket := ""
	if len(pairs) > 0 {
		bracket = "[" + strings.Join(pairs, " ") + "] "
	}
	return "deb " + bracket + s.URI + " " + s.Suite + " main", nil
}

// transportPrefixes are the apt settings that decide how an archive is reached.
// The others are about this machine's own packages.
var transportPrefixes = []string{
	"acquire::http::", "acquire::https::", "acquire::ftp::", "acquire::tor::", "acquire::socks::",
	"acquire::retries", "acquire::forceipv", "acquire::check-date", "acquire::queue-mode",
}

// transportOptions picks them from the output of `apt-config dump`.
func transportOptions(dump string) []string {
	var options []string
	for _, line := range strings.Split(dump, "\n") {
		name, value, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || value == `"";` || !strings.HasSuffix(value, `";`) {
			continue
		}
		for _, prefix := range transportPrefixes {
			if strings.HasPrefix(strings.ToLower(name), prefix) {
				options = append(options, name+" "+value)
				break
			}
		}
	}
	return options
}
