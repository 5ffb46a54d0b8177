package postgres

import (
	"regexp"
	"slices"

	"github.com/myuser/db-operator/internal/engine"
)

// series lists the supported major versions in order. Releases below one share
// the on-disk format: https://www.postgresql.org/support/versioning/
var series = []string{"15", "16", "17", "18"}

var versionForm = regexp.MustCompile(`^([1-9][0-9]*)(?:\.(0|[1-9][0-9]*))?$`)

// Resolve implements engine.Profile.
func (p Profile) Resolve(version string) (engine.Version, error) {
	parts := versionForm.FindStringSubmatch(version)
	if parts == nil || !slices.Contains(series, parts[1]) {
		return engine.Version{}, &engine.UnsupportedVersion{Engine: p.Name(), Version: version, Supported: slices.Clone(series)}
	}
	return engine.Version{Series: parts[1], Patch: parts[2]}, nil
}

// The differences between versions, one function each. A series is compared by
// its place in the table.

// canForbidAlterSystem: since 17 the server can be told to refuse ALTER SYSTEM,
// whose file would override ours.
func canForbidAlterSystem(series string) bool { return since("17", series) }

// hasIOMethod: since 18 reads go through io_method, whose io_uring is not
// available under the container runtimes' default seccomp profile.
func hasIOMethod(series string) bool { return since("18", series) }

// HasBuiltinLocale: since 17 the server brings its own C.UTF-8, so that a newer
// C library in the image cannot change the order of an index.
func HasBuiltinLocale(series string) bool { return since("17", series) }

// ContainsRoleCreators: since 16 a role that may create roles has power over
// those it made only. Before, it can also give itself the predefined roles that
// reach the server's files and programs.
func ContainsRoleCreators(series string) bool { return since("16", series) }

// since tells whether the series is first or a later one. An unknown one counts
// as the newest.
func since(first, s string) bool {
	at := slices.Index(series, s)
	return at < 0 || at >= slices.Index(series, first)
}
