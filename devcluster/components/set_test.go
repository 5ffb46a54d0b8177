package components

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
)

func source(gomod string) fstest.MapFS {
	return fstest.MapFS{
		"go.mod":      {Data: []byte(gomod)},
		"go.sum":      {Data: []byte("")},
		"cmd/main.go": {Data: []byte("package main")},
	}
}

func TestOtherVersionsGoToAnotherFolder(t *testing.T) {
	one, err := New(source("require k8s.io/kubernetes v1.37.2"), "/cache")
	if err != nil {
		t.Fatal(err)
	}
	same, err := New(source("require k8s.io/kubernetes v1.37.2"), "/cache")
	if err != nil {
		t.Fatal(err)
	}
	other, err := New(source("require k8s.io/kubernetes v1.37.3"), "/cache")
	if err != nil {
		t.Fatal(err)
	}
	if one.Dir() != same.Dir() || one.Dir() == other.Dir() {
		t.Errorf("folders %s, %s and %s", one.Dir(), same.Dir(), other.Dir())
	}
}

func TestFlagsNameTheRequiredVersion(t *testing.T) {
	gomod := []byte("require (\n\tk8s.io/kubernetes v1.37.2\n\tk8s.io/kubernetes-other v1.0.0\n)\n")
	cases := map[string]string{
		"-s -X a={k8s.io/kubernetes}": "-s -X a=v1.37.2",
		"-X a={not/required}":         "-X a=unknown",
		"-tags x":                     "-tags x",
	}
	for flag, want := range cases {
		if got := expand(flag, gomod); got != want {
			t.Errorf("expand(%q) = %q; want %q", flag, got, want)
		}
	}
}

func TestSetIsBuiltOnlyWithAllBinaries(t *testing.T) {
	set, err := New(source(""), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(set.Dir(), 0o755); err != nil {
		t.Fatal(err)
	}
	var last string
	for _, m := range modules {
		for _, name := range append(m.binaries, m.links...) {
			last = filepath.Join(set.Dir(), name)
			if err := os.WriteFile(last, nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !set.Built() {
		t.Error("a complete set is not called built")
	}
	if err := os.Remove(last); err != nil {
		t.Fatal(err)
	}
	if set.Built() {
		t.Error("an incomplete set is called built")
	}
}

func TestInstalledPackagesAreNotMissing(t *testing.T) {
	got := missingOf([]debianPackage{
		{"by-path", []string{"/absent", "/proc/self/exe"}},
		{"by-name", []string{"go"}},
		{"absent", []string{"no-such-program", "/no/such/file"}},
	})
	if len(got) != 1 || got[0] != "absent" {
		t.Errorf("missing: %q", got)
	}
}
