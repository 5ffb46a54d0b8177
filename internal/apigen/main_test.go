package main

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/config/crd"
	"github.com/myuser/db-operator/internal/apigen/manifest"
	"github.com/myuser/db-operator/internal/apigen/page"
)

func TestManifestIsFinished(t *testing.T) {
	finished, err := manifest.Finish(crd.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(crd.Manifest()), string(finished)); diff != "" {
		t.Errorf("run make generate (-committed +generated):\n%s", diff)
	}
}

func TestPageIsUpToDate(t *testing.T) {
	committed, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := page.Render(crd.Manifest())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(committed), string(rendered)); diff != "" {
		t.Errorf("run make generate (-committed +generated):\n%s", diff)
	}
}
