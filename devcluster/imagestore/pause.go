package imagestore

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/myuser/db-operator/devcluster/archive"
)

// Pause makes, in dir, the docker-archive of the image that holds a pod's
// namespaces: one static program. It returns the file's path and is idempotent.
func Pause(dir, reference, program string) (string, error) {
	tar := filepath.Join(dir, "pause.tar")
	if _, err := os.Stat(tar); err == nil {
		return tar, nil
	}
	file, err := archive.Disk("pause", 0o755, program)
	if err != nil {
		return "", fmt.Errorf("making the pause image: %w", err)
	}
	layerFile := filepath.Join(dir, "pause.layer")
	defer os.Remove(layerFile)
	layer, err := archive.WriteLayer(layerFile, []archive.File{file})
	if err != nil {
		return "", fmt.Errorf("making the pause image: %w", err)
	}
	image := archive.Image{
		Tags:         []string{reference},
		Architecture: runtime.GOARCH,
		Config:       archive.Config{User: "65535:65535", Entrypoint: []string{"/pause"}},
		Layers:       []archive.Layer{layer},
	}
	if err := image.WriteFile(tar); err != nil {
		return "", fmt.Errorf("making the pause image: %w", err)
	}
	return tar, nil
}
