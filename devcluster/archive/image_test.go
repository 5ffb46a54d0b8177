package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sampleImage(t *testing.T) Image {
	t.Helper()
	var layers []Layer
	for _, content := range []string{"lower", "upper"} {
		layer, err := WriteLayer(filepath.Join(t.TempDir(), "layer.tar"), []File{Text("file", 0o644, content)})
		if err != nil {
			t.Fatal(err)
		}
		layers = append(layers, layer)
	}
	return Image{
		Tags:         []string{"docker.io/example/thing:1", "docker.io/example/thing:1.2"},
		Architecture: "amd64",
		Layers:       layers,
		Config: Config{
			User: "999:999", Env: []string{"A=b"}, Entrypoint: []string{"/entry"}, Cmd: []string{"serve"},
			WorkingDir: "/", StopSignal: "SIGINT",
			ExposedPorts: map[string]struct{}{"5432/tcp": {}}, Volumes: map[string]struct{}{"/data": {}},
		},
	}
}

func entriesOf(t *testing.T, raw []byte) map[string][]byte {
	t.Helper()
	entries := map[string][]byte{}
	for reader := tar.NewReader(bytes.NewReader(raw)); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return entries
		}
		if err != nil {
			t.Fatal(err)
		}
		entries[header.Name], err = io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
	}
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// The rules that every reader of the format relies on.
func TestWriteIsADockerArchive(t *testing.T) {
	image := sampleImage(t)
	var buffer bytes.Buffer
	if err := image.Write(&buffer); err != nil {
		t.Fatal(err)
	}
	entries := entriesOf(t, buffer.Bytes())
	var manifests []manifestJSON
	if err := json.Unmarshal(entries["manifest.json"], &manifests); err != nil {
		t.Fatal(err)
	}
	if len(manifests) != 1 {
		t.Fatalf("%d images in the manifest, want 1", len(manifests))
	}
	manifest := manifests[0]
	if diff := cmp.Diff(image.Tags, manifest.RepoTags); diff != "" {
		t.Errorf("unexpected tags (-want +got):\n%s", diff)
	}
	raw := entries[manifest.Config]
	if manifest.Config != digestOf(raw)+".json" {
		t.Errorf("the configuration %s is not named by its digest", manifest.Config)
	}
	var config imageJSON
	if err := json.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	if config.OS != "linux" || config.Architecture != "amd64" || config.RootFS.Type != "layers" {
		t.Errorf("unexpected platform in %s", raw)
	}
	if diff := cmp.Diff(image.Config, config.Config); diff != "" {
		t.Errorf("unexpected configuration (-want +got):\n%s", diff)
	}
	if len(config.History) != len(image.Layers) {
		t.Errorf("history has %d entries for %d layers", len(config.History), len(image.Layers))
	}
	for i, name := range manifest.Layers {
		if want := "sha256:" + digestOf(entries[name]); config.RootFS.DiffIDs[i] != want {
			t.Errorf("layer %d: diff id %s, content %s", i, config.RootFS.DiffIDs[i], want)
		}
	}
	if len(manifest.Layers) != len(image.Layers) {
		t.Errorf("%d layers, want %d", len(manifest.Layers), len(image.Layers))
	}
}

func TestEqualLayersAreStoredOnce(t *testing.T) {
	image := sampleImage(t)
	image.Layers = append(image.Layers, image.Layers[0])
	var buffer bytes.Buffer
	if err := image.Write(&buffer); err != nil {
		t.Fatal(err)
	}
	if got := len(entriesOf(t, buffer.Bytes())); got != 4 { // two layers, configuration, manifest
		t.Errorf("%d entries, want 4", got)
	}
}

func TestWriteFileIsDeterministicAndWhole(t *testing.T) {
	image := sampleImage(t)
	dir := t.TempDir()
	one, other := filepath.Join(dir, "one.tar"), filepath.Join(dir, "other.tar")
	for _, name := range []string{one, other} {
		if err := image.WriteFile(name); err != nil {
			t.Fatal(err)
		}
	}
	first, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("equal images give unequal bytes")
	}

	image.Layers[0].Path = filepath.Join(dir, "absent")
	if err := image.WriteFile(one); err == nil {
		t.Fatal("an image without its layer was written")
	}
	after, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, after) {
		t.Error("a write that did not succeed changed the archive")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".image-*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
