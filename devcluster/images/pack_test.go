package images

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPack(t *testing.T) {
	dir := t.TempDir()
	program, data := filepath.Join(dir, "manager"), filepath.Join(dir, "data")
	for name, mode := range map[string]os.FileMode{program: 0o755, data: 0o600} {
		if err := os.WriteFile(name, []byte("content of "+filepath.Base(name)), mode); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "dist", "image.tar")
	args := []string{
		"--name", "docker.io/example/db-operator:dev", "--out", out, "--entrypoint", "/manager",
		"--user", "65532:65532", program + "=/manager", data + "=/etc/data",
	}
	if code, err := packCommand(t.Context(), args); code != 0 || err != nil {
		t.Fatalf("exit code %d, %v", code, err)
	}
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}

	root := filepath.Join(dir, "root")
	if os.Getuid() == 0 { // extraction sets owners
		if err := extractArchive(out, root); err != nil {
			t.Fatal(err)
		}
		modes := map[string]string{}
		for _, name := range []string{"manager", "etc/data", "tmp", "etc/passwd"} {
			info, err := os.Stat(filepath.Join(root, name))
			if err != nil {
				t.Fatal(err)
			}
			modes[name] = info.Mode().String()
		}
		want := map[string]string{"manager": "-rwxr-xr-x", "etc/data": "-rw-r--r--", "tmp": "dtrwxrwxrwx", "etc/passwd": "-rw-r--r--"}
		if diff := cmp.Diff(want, modes); diff != "" {
			t.Errorf("unexpected modes (-want +got):\n%s", diff)
		}
	}

	if code, err := packCommand(t.Context(), args); code != 0 || err != nil {
		t.Fatalf("packing again: exit code %d, %v", code, err)
	}
	second, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first, second) {
		t.Error("packing the same files again gives other bytes")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "dist", ".*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestPackRefuses(t *testing.T) {
	program := filepath.Join(t.TempDir(), "manager")
	if err := os.WriteFile(program, []byte("x"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ entrypoint, user, file, want string }{
		"an entrypoint that is not packed": {"/other", "1:1", program + "=/manager", "not among the files"},
		"a relative place":                 {"/manager", "1:1", program + "=manager", "not FILE=/PATH"},
		"a file that does not exist":       {"/manager", "1:1", program + "x=/manager", "no such file"},
		"a user by name":                   {"/manager", "me", program + "=/manager", "not numeric"},
		"no file":                          {"/manager", "1:1", "", "are needed"},
	} {
		t.Run(name, func(t *testing.T) {
			args := []string{"--name", "a", "--out", filepath.Join(t.TempDir(), "o.tar"), "--entrypoint", test.entrypoint, "--user", test.user}
			if test.file != "" {
				args = append(args, test.file)
			}
			_, err := packCommand(t.Context(), args)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}
