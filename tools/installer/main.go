// Installer renders config/default, or another kustomization, as one manifest
// with the given image, on standard output. It is what "kubectl kustomize"
// does, without kubectl and without editing a file.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// placeholder is the image's name in config/manager.
const placeholder = "controller"

func main() {
	image := flag.String("image", "", "image of the operator, with a tag or a digest")
	config := flag.String("config", "../config/default", "folder with the kustomization")
	flag.Parse()
	text, err := render(*config, *image)
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "installer: %v\n", err)
		os.Exit(1)
	}
}

func render(config, image string) ([]byte, error) {
	override, err := parse(image)
	if err != nil {
		return nil, err
	}
	config, err = filepath.Abs(config)
	if err != nil {
		return nil, fmt.Errorf("finding %s: %w", config, err)
	}
	disk := withImage{filesys.MakeFsOnDisk(), filepath.Join(config, "kustomization.yaml"), override}
	options := krusty.MakeDefaultOptions()
	options.Reorder = krusty.ReorderOptionUnspecified // the kustomization says it
	resources, err := krusty.MakeKustomizer(options).Run(disk, config)
	if err != nil {
		return nil, fmt.Errorf("rendering %s: %w", config, err)
	}
	text, err := resources.AsYaml()
	if err != nil {
		return nil, fmt.Errorf("rendering %s: %w", config, err)
	}
	return text, nil
}

// withImage is the disk, but for one kustomization, which reads as if
// "kustomize edit set image" had been called.
type withImage struct {
	filesys.FileSystem
	kustomization, images string
}

// ReadFile implements filesys.FileSystem.
func (w withImage) ReadFile(path string) ([]byte, error) {
	text, err := w.FileSystem.ReadFile(path)
	if err == nil && path == w.kustomization {
		text = append(append(text, '\n'), w.images...)
	}
	return text, err
}

// parse makes the kustomization's field from the image.
func parse(image string) (string, error) {
	entry := "images:\n  - name: " + placeholder + "\n"
	if name, digest, found := strings.Cut(image, "@"); found && name != "" {
		return entry + fmt.Sprintf("    newName: %q\n    digest: %q\n", name, digest), nil
	}
	colon := strings.LastIndex(image, ":")
	if colon <= 0 || strings.Contains(image[colon:], "/") {
		return "", fmt.Errorf("image %q has no tag: write -image registry/name:tag", image)
	}
	return entry + fmt.Sprintf("    newName: %q\n    newTag: %q\n", image[:colon], image[colon+1:]), nil
}
