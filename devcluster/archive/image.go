package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Config is how an image is run. The names in JSON are those of the image
// specification (https://github.com/moby/docker-image-spec).
type Config struct {
	User         string              `json:"User,omitempty"`
	ExposedPorts map[string]struct{} `json:"ExposedPorts,omitempty"`
	Env          []string            `json:"Env,omitempty"`
	Entrypoint   []string            `json:"Entrypoint,omitempty"`
	Cmd          []string            `json:"Cmd,omitempty"`
	Volumes      map[string]struct{} `json:"Volumes,omitempty"`
	WorkingDir   string              `json:"WorkingDir,omitempty"`
	StopSignal   string              `json:"StopSignal,omitempty"`
	Labels       map[string]string   `json:"Labels,omitempty"`
}

// Image is what one docker-archive holds.
type Image struct {
	Tags         []string // full references: registry/repository:tag
	Architecture string   // a GOARCH
	Config       Config
	Layers       []Layer // the lowest first
}

type imageJSON struct {
	Architecture string        `json:"architecture"`
	OS           string        `json:"os"`
	Created      string        `json:"created"`
	Config       Config        `json:"config"`
	RootFS       rootFSJSON    `json:"rootfs"`
	History      []historyJSON `json:"history"`
}

type rootFSJSON struct {
	Type    string   `json:"type"`
	DiffIDs []string `json:"diff_ids"`
}

type historyJSON struct {
	Created   string `json:"created"`
	CreatedBy string `json:"created_by"`
}

type manifestJSON struct {
	Config   string
	RepoTags []string
	Layers   []string
}

// WriteFile writes the docker-archive at the given path. The path holds the
// whole image or, after an error, what it held before.
func (i Image) WriteFile(name string) error {
	stage, err := os.CreateTemp(filepath.Dir(name), ".image-*")
	if err != nil {
		return fmt.Errorf("creating an image archive: %w", err)
	}
	defer os.Remove(stage.Name())
	err = errors.Join(i.Write(stage), stage.Chmod(0o644), stage.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(stage.Name(), name); err != nil {
		return fmt.Errorf("placing the image archive: %w", err)
	}
	return nil
}

// Write writes the docker-archive.
func (i Image) Write(w io.Writer) error {
	config, err := i.configJSON()
	if err != nil {
		return err
	}
	digest := sha256.Sum256(config)
	configName := hex.EncodeToString(digest[:]) + ".json"
	manifest := manifestJSON{Config: configName, RepoTags: i.Tags}
	writer := tar.NewWriter(w)
	written := map[string]bool{}
	for _, layer := range i.Layers {
		name := strings.TrimPrefix(layer.DiffID, "sha256:") + "/layer.tar"
		manifest.Layers = append(manifest.Layers, name)
		if written[name] {
			continue
		}
		written[name] = true
		if err := writeLayer(writer, name, layer); err != nil {
			return fmt.Errorf("adding layer %s: %w", layer.DiffID, err)
		}
	}
	if err := writeBytes(writer, configName, config); err != nil {
		return fmt.Errorf("adding the image configuration: %w", err)
	}
	list, err := json.Marshal([]manifestJSON{manifest})
	if err != nil {
		return fmt.Errorf("encoding the manifest: %w", err)
	}
	if err := writeBytes(writer, "manifest.json", list); err != nil {
		return fmt.Errorf("adding the manifest: %w", err)
	}
	if err := writer.Close(); err != nil {
		return fmt.Errorf("closing the image archive: %w", err)
	}
	return nil
}

func (i Image) configJSON() ([]byte, error) {
	created := fixedTime.Format("2006-01-02T15:04:05Z")
	config := imageJSON{
		Architecture: i.Architecture, OS: "linux", Created: created, Config: i.Config,
		RootFS: rootFSJSON{Type: "layers", DiffIDs: []string{}},
	}
	for _, layer := range i.Layers {
		config.RootFS.DiffIDs = append(config.RootFS.DiffIDs, layer.DiffID)
		// Docker refuses an image whose history and layers differ in number.
		config.History = append(config.History, historyJSON{Created: created, CreatedBy: "devcluster image"})
	}
	encoded, err := json.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("encoding the image configuration: %w", err)
	}
	return encoded, nil
}

func writeLayer(writer *tar.Writer, name string, layer Layer) error {
	content, err := os.Open(layer.Path)
	if err != nil {
		return err
	}
	defer content.Close()
	return writeEntry(writer, name, layer.Size, content)
}

func writeBytes(writer *tar.Writer, name string, content []byte) error {
	return writeEntry(writer, name, int64(len(content)), bytes.NewReader(content))
}

func writeEntry(writer *tar.Writer, name string, size int64, content io.Reader) error {
	header := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: size, ModTime: fixedTime}
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(writer, content)
	return err
}
