package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/myuser/db-operator/devcluster/archive"
)

// certificates is where Debian and most others keep the certificate authorities
// that the machine trusts.
const certificates = "/etc/ssl/certs/ca-certificates.crt"

// A packing says what an image of static programs is made of.
type packing struct {
	Name       string   // its reference, with registry and tag
	Out        string   // where the archive goes
	Entrypoint string   // path in the image
	User       string   // uid:gid
	Arch       string   // a GOARCH
	Files      []string // FILE=/PATH
}

func packCommand(_ context.Context, args []string) (int, error) {
	var p packing
	flags, _ := flagsOf("pack")
	flags.StringVar(&p.Name, "name", "", "reference of the image, for example docker.io/example/db-operator:dev")
	flags.StringVar(&p.Out, "out", "", "where to write the archive")
	flags.StringVar(&p.Entrypoint, "entrypoint", "", "path of the program that the image runs")
	flags.StringVar(&p.User, "user", "65532:65532", "uid:gid that it runs as")
	flags.StringVar(&p.Arch, "arch", runtime.GOARCH, "architecture of the programs")
	if err := flags.Parse(args); err != nil {
		return exitUsage, err
	}
	p.Files = flags.Args()
	if p.Name == "" || p.Out == "" || p.Entrypoint == "" || len(p.Files) == 0 {
		return exitUsage, errors.New("--name, --out, --entrypoint and at least one FILE=/PATH are needed")
	}
	return 0, p.write()
}

// write makes the archive: the files, certificate authorities if the machine has
// them, the two accounts and an empty /tmp.
func (p packing) write() error {
	files, err := p.contents()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.Out), 0o755); err != nil {
		return fmt.Errorf("making the folder of the archive: %w", err)
	}
	work, err := os.MkdirTemp(filepath.Dir(p.Out), ".pack-*")
	if err != nil {
		return fmt.Errorf("making a folder to pack in: %w", err)
	}
	defer os.RemoveAll(work)
	layer, err := archive.WriteLayer(filepath.Join(work, "layer.tar"), files)
	if err != nil {
		return err
	}
	image := archive.Image{
		Tags:         []string{p.Name},
		Architecture: p.Arch,
		Layers:       []archive.Layer{layer},
		Config: archive.Config{
			User: p.User, WorkingDir: "/", Entrypoint: []string{p.Entrypoint},
			Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		},
	}
	return image.WriteFile(p.Out)
}

func (p packing) contents() ([]archive.File, error) {
	uid, gid, err := parseUser(p.User)
	if err != nil {
		return nil, err
	}
	files := []archive.File{
		archive.Dir("tmp", 0o1777, 0, 0),
		archive.Text("etc/passwd", 0o644, fmt.Sprintf(
			"root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%d:%d:nonroot:/:/sbin/nologin\n", uid, gid)),
		archive.Text("etc/group", 0o644, fmt.Sprintf("root:x:0:\nnonroot:x:%d:\n", gid)),
	}
	found := false
	for _, pair := range p.Files {
		name, target, ok := strings.Cut(pair, "=")
		if !ok || !strings.HasPrefix(target, "/") {
			return nil, fmt.Errorf("%q is not FILE=/PATH", pair)
		}
		info, err := os.Stat(name)
		if err != nil {
			return nil, fmt.Errorf("looking at a file for the image: %w", err)
		}
		mode := int64(0o644)
		if info.Mode()&0o111 != 0 {
			mode = 0o755
		}
		file, err := archive.Disk(target, mode, name)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
		found = found || target == p.Entrypoint
	}
	if !found {
		return nil, fmt.Errorf("the entrypoint %s is not among the files", p.Entrypoint)
	}
	if _, err := os.Stat(certificates); err == nil {
		file, err := archive.Disk(certificates, 0o644, certificates)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}
