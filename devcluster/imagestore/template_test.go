package imagestore_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/myuser/db-operator/devcluster/imagestore"
)

func TestNodesShareLayersAndBlobsButNotDatabases(t *testing.T) {
	const (
		layer    = "io.containerd.snapshotter.v1.overlayfs/snapshots/1/fs/bin/sh"
		blob     = "io.containerd.content.v1.content/blobs/sha256/abc"
		database = "io.containerd.metadata.v1.bolt/meta.db"
	)
	template, root := t.TempDir(), filepath.Join(t.TempDir(), "root")
	for _, name := range []string{layer, blob, database} {
		path := filepath.Join(template, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("template"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := imagestore.Lay(template, root); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{layer, blob, database} {
		if content, err := os.ReadFile(filepath.Join(root, name)); err != nil || string(content) != "template" {
			t.Errorf("%s holds %q, %v", name, content, err)
		}
	}
	// What containerd does when an image is deleted.
	for _, name := range []string{"io.containerd.snapshotter.v1.overlayfs/snapshots/1", blob} {
		if err := os.RemoveAll(filepath.Join(root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, database), []byte("node"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{layer, blob, database} {
		if content, err := os.ReadFile(filepath.Join(template, name)); err != nil || string(content) != "template" {
			t.Errorf("the template's %s holds %q, %v", name, content, err)
		}
	}
}

func TestLayingOverAnotherRootIsRefused(t *testing.T) {
	template, root := t.TempDir(), t.TempDir()
	for _, dir := range []string{template, root} {
		if err := os.WriteFile(filepath.Join(dir, "meta.db"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := imagestore.Lay(template, root); err == nil {
		t.Error("a file of another root was overwritten")
	}
}
