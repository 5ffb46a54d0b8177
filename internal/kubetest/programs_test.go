package kubetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	folder := func(t *testing.T, path string, names ...string) string {
		t.Helper()
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if err := os.WriteFile(filepath.Join(path, name), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	t.Run("what to run is said when they are missing", func(t *testing.T) {
		cache := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", cache)
		t.Setenv(assetsVariable, "")
		folder(t, filepath.Join(cache, "db-operator", "components", "half"), "etcd", "kubectl")
		_, err := Programs()
		if err == nil || !strings.Contains(err.Error(), "run make components") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a complete folder of the cache is found", func(t *testing.T) {
		cache := t.TempDir()
		t.Setenv("XDG_CACHE_HOME", cache)
		t.Setenv(assetsVariable, "")
		want := folder(t, filepath.Join(cache, "db-operator", "components", "whole"), programs...)
		if got, err := Programs(); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
	t.Run("the variable goes before the cache", func(t *testing.T) {
		want := folder(t, t.TempDir(), programs...)
		t.Setenv(assetsVariable, want)
		if got, err := Programs(); err != nil || got != want {
			t.Errorf("got %q, %v, want %q", got, err, want)
		}
	})
	t.Run("the variable must lead to all of them", func(t *testing.T) {
		t.Setenv(assetsVariable, t.TempDir())
		if _, err := Programs(); err == nil {
			t.Error("an empty folder is taken")
		}
	})
}
