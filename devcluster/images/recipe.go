package images

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/myuser/db-operator/devcluster/archive"
)

// recipeFormat changes when the way from a recipe to an image changes, so that
// images in the cache that were made the old way are not taken for new ones.
const recipeFormat = 1

// A recipe says what one image is made of. Everything in it is data, so that
// its hash names the cached image. {version} in Env stands for the full Debian
// version, which is known only after the packages are installed.
type recipe struct {
	Repository string   // docker.io/library/postgres
	Series     string   // 17; the tag, and the prefix that the version must have
	Suites     []string // Debian suites that may have it, the preferred one first
	Security   bool     // the suites are stable ones, with updates and security
	Packages   []string
	Versioned  string              // the package whose version is the image's
	Setup      string              // shell, before the packages are configured; $1 is the root
	Finish     string              // shell, after they are; $1 is the root
	Skip       []string            // never unpacked: nothing needs it while the image is made
	Remove     []string            // left out of the image
	Only       map[string][]string // of this folder, only these names are kept
	Add        []addition
	Config     archive.Config
}

// An addition is an entry of our own in the image.
type addition struct {
	Path    string
	Mode    int64
	UID     int
	GID     int
	Content string // of a regular file
	Link    string // makes a symbolic link
}

func (a addition) file() archive.File {
	var file archive.File
	switch {
	case a.Link != "":
		return archive.Symlink(a.Path, a.Link)
	case a.Content != "":
		file = archive.Text(a.Path, a.Mode, a.Content)
	default:
		file = archive.Dir(a.Path, a.Mode, 0, 0)
	}
	file.UID, file.GID = a.UID, a.GID
	return file
}

func (r recipe) name() string { return r.Repository + ":" + r.Series }

// hash names the image in the cache. Patch versions are not part of it: an
// image is kept until its recipe changes or its folder is removed.
func (r recipe) hash() string {
	// Maps are encoded in the order of their keys, so equal recipes hash equal.
	encoded, err := json.Marshal(struct {
		Format int
		Arch   string
		Recipe recipe
	}{recipeFormat, runtime.GOARCH, r})
	if err != nil {
		panic(fmt.Sprintf("encoding a recipe: %v", err)) // it has only strings and numbers
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:8])
}

// Left behind by building, of the machine that built, or of no use at run time.
var removedEverywhere = []string{
	"etc/apt", "etc/hostname", "etc/resolv.conf", "etc/machine-id",
	"etc/ssl/private/ssl-cert-snakeoil.key", "etc/ssl/certs/ssl-cert-snakeoil.pem",
	"dev/*", "proc/*", "sys/*", "run/*", "tmp/*", "boot/*",
	"var/cache/*/*", "var/lib/apt", "var/log/*", "var/tmp/*",
	"etc/dpkg/dpkg.cfg.d/*", "var/lib/systemd", "var/lib/dpkg/info", "var/lib/dpkg/*-old", "var/lib/dpkg/triggers",
	"usr/share/doc", "usr/share/man", "usr/share/info", "usr/share/lintian",
	"usr/share/bug", "usr/share/locale", "usr/share/i18n", "usr/share/common-licenses",
	"usr/share/bash-completion", "usr/share/zsh", "usr/share/pixmaps", "usr/share/gdb",
	"usr/lib/*/gconv", "usr/lib/systemd", "lib/systemd", "etc/systemd",
	"usr/share/perl/5*", "usr/lib/*/perl/5*", "usr/lib/*/libperl.so*", "usr/lib/*/perl/debian-config-data*",
}

// selectFiles applies Skip, Remove and Only to the entries of a Debian root file system.
func (r recipe) selectFiles(files []archive.File) []archive.File {
	patterns := slices.Concat(removedEverywhere, r.Skip, r.Remove)
	var kept []archive.File
	for _, file := range files {
		if !matchesAny(patterns, file.Path) && r.allowed(file.Path) {
			kept = append(kept, file)
		}
	}
	return kept
}

// matchesAny tells whether a pattern matches the path or a folder above it.
func matchesAny(patterns []string, name string) bool {
	for ; name != "."; name = path.Dir(name) {
		for _, pattern := range patterns {
			if matched, _ := path.Match(pattern, name); matched {
				return true
			}
		}
	}
	return false
}

func (r recipe) allowed(name string) bool {
	names, limited := r.Only[path.Dir(name)]
	if !limited {
		return true
	}
	for _, allowed := range names {
		if allowed == path.Base(name) {
			return true
		}
	}
	return false
}

// config is the recipe's configuration with the version filled in.
func (r recipe) config(version string) archive.Config {
	config := r.Config
	config.Env = nil
	for _, setting := range r.Config.Env {
		config.Env = append(config.Env, strings.ReplaceAll(setting, "{version}", version))
	}
	return config
}
