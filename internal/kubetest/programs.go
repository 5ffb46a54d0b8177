package kubetest

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// assetsVariable is the one that setup-envtest and its users know. It
// overrides the cache.
const assetsVariable = "KUBEBUILDER_ASSETS"

var programs = []string{"etcd", "kube-apiserver", "kubectl"}

// Programs is the folder with etcd, kube-apiserver and kubectl: the newest
// complete one in the cache of the local cluster's components.
func Programs() (string, error) {
	if dir := os.Getenv(assetsVariable); dir != "" {
		if _, ok := complete(dir); !ok {
			return "", fmt.Errorf("%s=%s does not hold all of %v", assetsVariable, dir, programs)
		}
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	below := filepath.Join(cache, "db-operator", "components")
	dirs, err := filepath.Glob(filepath.Join(below, "*"))
	if err != nil {
		return "", fmt.Errorf("looking into %s: %w", below, err)
	}
	newest, found := time.Time{}, ""
	for _, dir := range dirs {
		if built, ok := complete(dir); ok && built.After(newest) {
			newest, found = built, dir
		}
	}
	if found == "" {
		return "", fmt.Errorf("%v are not in %s: run make components (some minutes, once), or set %s to a folder that has them", programs, below, assetsVariable)
	}
	return found, nil
}

// complete tells whether dir holds every program, and when they were built.
func complete(dir string) (time.Time, bool) {
	var built time.Time
	for _, name := range programs {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return time.Time{}, false
		}
		built = info.ModTime()
	}
	return built, true
}
