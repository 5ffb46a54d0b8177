// Command apigen finishes what controller-gen begins: it writes the reserved
// parameters into the rules of the CRD, and makes docs/api.md from it. It runs
// in the repository's root, after controller-gen, and writes the same files
// for the same input.
//
// It knows the schema as a document only; what the fields mean is in api/v1.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/myuser/db-operator/internal/apigen/manifest"
	"github.com/myuser/db-operator/internal/apigen/page"
)

func main() {
	crd := flag.String("crd", "config/crd/bases/example.com_databases.yaml", "manifest to finish in place")
	doc := flag.String("doc", "docs/api.md", "page to write")
	flag.Parse()
	if err := generate(*crd, *doc); err != nil {
		fmt.Fprintln(os.Stderr, "apigen:", err)
		os.Exit(1)
	}
}

func generate(crd, doc string) error {
	raw, err := os.ReadFile(crd)
	if err != nil {
		return fmt.Errorf("reading the manifest: %w", err)
	}
	finished, err := manifest.Finish(raw)
	if err != nil {
		return fmt.Errorf("finishing %s: %w", crd, err)
	}
	if err := os.WriteFile(crd, finished, 0o644); err != nil {
		return fmt.Errorf("writing the manifest: %w", err)
	}
	text, err := page.Render(finished)
	if err != nil {
		return fmt.Errorf("rendering %s: %w", doc, err)
	}
	if err := os.WriteFile(doc, text, 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}
