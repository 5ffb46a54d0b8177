// Package components builds the programs of a cluster from Go modules into a
// cache folder, once per set of versions, and says where they are. It knows how
// to build and which Debian packages building and running need; it knows
// nothing about clusters.
package components

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
)

// module is one `go build` with its flags.
type module struct {
	name     string
	packages []string
	binaries []string // what it leaves in the folder
	links    []string // names that lead to binaries[0]
	flags    []string
	cgo      bool
}

var modules = []module{
	{
		name:     "kubernetes and etcd",
		packages: []string{"./cmd/kubernetes"},
		binaries: []string{"kubernetes"},
		links: []string{
			"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler",
			"kubelet", "kube-proxy", "kubectl",
		},
		flags: []string{"-ldflags", "-s -w -X k8s.io/component-base/version.gitVersion={k8s.io/kubernetes}"},
	},
	{
		name: "containerd",
		packages: []string{
			"github.com/containerd/containerd/v2/cmd/containerd",
			"github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
			"github.com/containerd/containerd/v2/cmd/ctr",
		},
		binaries: []string{"containerd", "containerd-shim-runc-v2", "ctr"},
		flags: []string{
			"-tags", "no_btrfs,no_devmapper,no_zfs",
			"-ldflags", "-s -w -X github.com/containerd/containerd/v2/version.Version={github.com/containerd/containerd/v2}",
		},
	},
	{
		name:     "runc",
		packages: []string{"github.com/opencontainers/runc"},
		binaries: []string{"runc"},
		// Without seccomp every pod with the RuntimeDefault profile fails.
		flags: []string{"-tags", "seccomp", "-ldflags", "-s -w"},
		cgo:   true,
	},
	{
		name:     "coredns",
		packages: []string{"./cmd/coredns"},
		binaries: []string{"coredns"},
		flags:    []string{"-ldflags", "-s -w"},
	},
	{
		name:     "pause",
		packages: []string{"./cmd/pause"},
		binaries: []string{"pause"},
		flags:    []string{"-ldflags", "-s -w"},
	},
}

// Set is the components of one set of versions.
type Set struct {
	source fs.FS
	key    string
	dir    string
}

// CacheDir is the folder below which everything that can be made again is
// kept: $XDG_CACHE_HOME/db-operator, by default ~/.cache/db-operator.
func CacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	return filepath.Join(base, "db-operator"), nil
}

// New describes the components that source (this Go module's go.mod, go.sum
// and cmd folder) builds into, below cacheDir. Nothing is built yet.
func New(source fs.FS, cacheDir string) (*Set, error) {
	key, err := keyOf(source)
	if err != nil {
		return nil, err
	}
	return &Set{source: source, key: key, dir: filepath.Join(cacheDir, "components", key)}, nil
}

// Dir is the folder of the binaries. It exists only after Build.
func (s *Set) Dir() string { return s.dir }

// Path is where the binary of the given name is after Build.
func (s *Set) Path(name string) string { return filepath.Join(s.dir, name) }

// Built tells whether every binary is there.
func (s *Set) Built() bool {
	for _, m := range modules {
		if !s.has(m) {
			return false
		}
	}
	return true
}

func (s *Set) has(m module) bool {
	for _, name := range append(m.binaries, m.links...) {
		if _, err := os.Stat(s.Path(name)); err != nil {
			return false
		}
	}
	return true
}

// keyOf hashes what decides the binaries: versions, sources, flags, toolchain.
func keyOf(source fs.FS) (string, error) {
	hash := sha256.New()
	fmt.Fprintln(hash, runtime.Version(), runtime.GOARCH)
	for _, m := range modules {
		fmt.Fprintf(hash, "%q %q %t\n", m.packages, m.flags, m.cgo)
	}
	err := fs.WalkDir(source, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(hash, "%s %d\n", path, len(content))
		_, err = hash.Write(content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hashing the component sources: %w", err)
	}
	return hex.EncodeToString(hash.Sum(nil))[:12], nil
}

var versionReference = regexp.MustCompile(`\{([^}]+)\}`)

// expand replaces {module/path} in a flag by the version that go.mod requires.
func expand(flag string, gomod []byte) string {
	return versionReference.ReplaceAllStringFunc(flag, func(reference string) string {
		path := reference[1 : len(reference)-1]
		line := regexp.MustCompile(`(?m)^\s*` + regexp.QuoteMeta(path) + ` (v\S+)`)
		if found := line.FindSubmatch(gomod); found != nil {
			return string(found[1])
		}
		return "unknown"
	})
}
