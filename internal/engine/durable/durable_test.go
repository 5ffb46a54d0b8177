package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// That the data are on the disk cannot be seen without a power cut; that
// nothing is left out for an error can.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a", "b"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a", "b", "file"), []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(Tree(dir), eachFile(dir)); err != nil {
		t.Error(err)
	}
	// A link that leads nowhere is something that cannot be flushed.
	if err := os.Symlink("nowhere", filepath.Join(dir, "a", "b", "link")); err != nil {
		t.Fatal(err)
	}
	if err := eachFile(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("flushing what is not there: %v", err)
	}
	if err := Tree(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("flushing a folder that is not there: %v", err)
	}
}

func TestKernelsThatReport(t *testing.T) {
	for release, want := range map[string]bool{
		"6.1.0-13-amd64": true, "5.8.0": true, "5.14.0-503.el9.x86_64": true, "10.0": true,
		"5.7.19": false, "4.18.0-553.el8_10.x86_64": false, "": false, "new": false,
	} {
		if got := reports(release); got != want {
			t.Errorf("%q reports errors: %t", release, got)
		}
	}
}
