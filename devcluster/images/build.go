package images

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/myuser/db-operator/devcluster/archive"
	"github.com/myuser/db-operator/devcluster/console"
)

// Image is an image in the cache.
type Image struct {
	Name    string   // docker.io/library/postgres:17
	Tar     string   // path of its docker-archive
	Tags    []string // Name, and the repository with the full version
	Version string   // of the engine: 17.12
}

// record is what is kept beside an image in the cache.
type record struct {
	Image  Image
	Config archive.Config
}

// Names inside the folder of an image in the cache.
const (
	tarName    = "image.tar"
	recordName = "image.json"
	rootFSName = "rootfs"
	stageGlob  = "stage-*"
)

// Build makes the images of the given names, all known ones when there are
// none, and says where they are. Images that are in the cache already and whose
// recipe has not changed are taken from there. It blocks while packages are
// fetched and unpacked, about a minute an image, and writes a line at least every
// 15 seconds to log. It is idempotent; an interrupted build leaves nothing that
// looks complete. Processes that build at the same time wait for each other.
// Root is needed.
func Build(ctx context.Context, log io.Writer, cacheDir string, names []string) ([]Image, error) {
	if len(names) == 0 {
		names = Known()
	}
	out := console.New(log)
	var built []Image
	for _, name := range names {
		r, err := recipeOf(name)
		if err != nil {
			return nil, err
		}
		rec, err := ensure(ctx, out, cacheDir, r)
		if err != nil {
			return nil, err
		}
		built = append(built, rec.Image)
	}
	return built, nil
}

// folderOf is the folder of a recipe's image in the cache.
func folderOf(cacheDir string, r recipe) string {
	return filepath.Join(cacheDir, "images", r.hash())
}

// lookUp finds an image in the cache. The error wraps os.ErrNotExist when it
// is not there.
func lookUp(cacheDir string, r recipe) (record, error) {
	folder := folderOf(cacheDir, r)
	text, err := os.ReadFile(filepath.Join(folder, recordName))
	if err != nil {
		return record{}, fmt.Errorf("looking for image %s in the cache: %w", r.name(), err)
	}
	var rec record
	if err := json.Unmarshal(text, &rec); err != nil {
		return record{}, fmt.Errorf("reading the record of image %s: %w", r.name(), err)
	}
	// The cache may have been moved since.
	rec.Image.Tar = filepath.Join(folder, tarName)
	return rec, nil
}

// ensure finds the image in the cache or builds it.
func ensure(ctx context.Context, out *console.Console, cacheDir string, r recipe) (record, error) {
	if rec, err := lookUp(cacheDir, r); err == nil || !errors.Is(err, os.ErrNotExist) {
		return rec, err
	}
	root := filepath.Join(cacheDir, "images")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return record{}, fmt.Errorf("making the image cache: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(root, ".lock"))
	if err != nil {
		return record{}, err
	}
	defer unlock()
	if rec, err := lookUp(cacheDir, r); err == nil {
		return rec, nil // another process built it while this one waited
	}
	removeStale(root)
	if err := installBuilder(ctx, out); err != nil {
		return record{}, err
	}
	err = out.Step("building image "+r.name(), func() error { return build(ctx, root, r) })
	if err != nil {
		return record{}, fmt.Errorf("building image %s: %w", r.name(), err)
	}
	return lookUp(cacheDir, r)
}

// removeStale removes what interrupted builds left. The caller holds the lock.
func removeStale(root string) {
	stages, _ := filepath.Glob(filepath.Join(root, stageGlob))
	for _, stage := range stages {
		os.RemoveAll(stage)
	}
}

func build(ctx context.Context, root string, r recipe) error {
	stage, err := os.MkdirTemp(root, stageGlob)
	if err != nil {
		return fmt.Errorf("making a folder to build in: %w", err)
	}
	defer os.RemoveAll(stage)
	// The folder becomes the image's own in the cache, read by others.
	if err := os.Chmod(stage, 0o755); err != nil {
		return fmt.Errorf("opening the build folder: %w", err)
	}
	debian := filepath.Join(stage, "debian.tar")
	if err := bootstrap(ctx, r, stage, debian); err != nil {
		return err
	}
	rec, err := assemble(r, debian, stage)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(rec, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the record: %w", err)
	}
	if err := os.WriteFile(filepath.Join(stage, recordName), text, 0o644); err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	final := filepath.Join(root, r.hash())
	if err := os.RemoveAll(final); err != nil {
		return fmt.Errorf("removing a damaged image: %w", err)
	}
	if err := os.Rename(stage, final); err != nil {
		return fmt.Errorf("placing the image in the cache: %w", err)
	}
	return nil
}

// assemble turns a Debian root file system into the image's archive.
func assemble(r recipe, debian, stage string) (record, error) {
	source, err := os.Open(debian)
	if err != nil {
		return record{}, fmt.Errorf("opening the root file system: %w", err)
	}
	defer os.Remove(debian)
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return record{}, fmt.Errorf("measuring the root file system: %w", err)
	}
	files, err := archive.Read(source, info.Size())
	if err != nil {
		return record{}, err
	}
	debianVersion, err := versionOf(files, r.Versioned)
	if err != nil {
		return record{}, err
	}
	version := upstreamVersion(debianVersion)
	if version != r.Series && !strings.HasPrefix(version, r.Series+".") {
		return record{}, fmt.Errorf("the archive has %s %s, not %s", r.Versioned, debianVersion, r.Series)
	}
	files = r.selectFiles(files)
	for _, added := range r.Add {
		files = append(files, added.file())
	}
	layer, err := archive.WriteLayer(filepath.Join(stage, "layer.tar"), files)
	if err != nil {
		return record{}, err
	}
	defer os.Remove(layer.Path)
	image := archive.Image{
		Tags:         []string{r.name(), r.Repository + ":" + version},
		Architecture: runtime.GOARCH,
		Config:       r.config(debianVersion),
		Layers:       []archive.Layer{layer},
	}
	if err := image.WriteFile(filepath.Join(stage, tarName)); err != nil {
		return record{}, err
	}
	return record{
		Image:  Image{Name: r.name(), Tags: image.Tags, Version: version},
		Config: image.Config,
	}, nil
}
