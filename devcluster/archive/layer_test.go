package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outline lists a tar as "type mode uid:gid path -> link = content".
func outline(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines []string
	for reader := tar.NewReader(file); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%c %o %d:%d %s", header.Typeflag, header.Mode, header.Uid, header.Gid, header.Name)
		if header.Linkname != "" {
			line += " -> " + header.Linkname
		}
		if len(content) > 0 {
			line += " = " + string(content)
		}
		if !header.ModTime.Equal(fixedTime) {
			line += " at " + header.ModTime.String()
		}
		lines = append(lines, line)
	}
}

func TestWriteLayer(t *testing.T) {
	content := Text("b/original", 0o755, "shared")
	link := func(name, target string) File {
		return File{Path: name, Type: tar.TypeLink, Link: target, Mode: 0o755, Open: content.Open, Size: content.Size}
	}
	for name, test := range map[string]struct {
		files []File
		want  []string
	}{
		"entries are sorted and folders that they need are added": {
			files: []File{Text("z/y/file", 0o600, "x"), Symlink("a", "z")},
			want:  []string{"2 777 0:0 a -> z", "5 755 0:0 z/", "5 755 0:0 z/y/", "0 600 0:0 z/y/file = x"},
		},
		"a folder keeps its owner and special bits": {
			files: []File{Text("var/run/x", 0o644, "x"), Dir("/var/run/", 0o3777, 999, 998)},
			want:  []string{"5 755 0:0 var/", "5 3777 999:998 var/run/", "0 644 0:0 var/run/x = x"},
		},
		"of two entries with one path the later wins": {
			files: []File{Text("a", 0o644, "old"), Text("./a", 0o644, "new")},
			want:  []string{"0 644 0:0 a = new"},
		},
		"a hard link that sorts before its target becomes the file": {
			files: []File{content, link("a", "b/original")},
			want:  []string{"0 755 0:0 a = shared", "5 755 0:0 b/", "1 755 0:0 b/original -> a"},
		},
		"hard links survive without their target": {
			files: []File{link("c", "b/original"), link("a", "./b/original")},
			want:  []string{"0 755 0:0 a = shared", "1 755 0:0 c -> a"},
		},
		"nothing at all is an empty layer": {},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "layer.tar")
			if _, err := WriteLayer(path, test.files); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, outline(t, path)); diff != "" {
				t.Errorf("unexpected entries (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteLayerRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		files []File
		want  string
	}{
		"a path that leaves the image":      {[]File{Text("a/../../b", 0o644, "x")}, "leaves the image"},
		"a parent that is a symbolic link":  {[]File{Symlink("lib", "usr/lib"), Text("lib/x", 0o644, "x")}, "parent lib is not a folder"},
		"a hard link to nothing":            {[]File{{Path: "a", Type: tar.TypeLink, Link: "b"}}, "target b is not in the layer"},
		"a regular file without content":    {[]File{{Path: "a", Type: tar.TypeReg, Size: 3}}, "has no content"},
		"content that is shorter than said": {[]File{{Path: "a", Type: tar.TypeReg, Size: 30, Open: Text("", 0, "x").Open}}, "missed writing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := WriteLayer(filepath.Join(t.TempDir(), "layer.tar"), test.files)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestLayersOfEqualInputAreEqual(t *testing.T) {
	files := []File{Text("c", 0o644, "3"), Dir("b", 0o700, 1, 2), Symlink("a", "b"), Text("b/d", 0o644, "4")}
	reversed := slices.Clone(files)
	slices.Reverse(reversed)
	dir := t.TempDir()
	one, err := WriteLayer(filepath.Join(dir, "one"), files)
	if err != nil {
		t.Fatal(err)
	}
	other, err := WriteLayer(filepath.Join(dir, "other"), reversed)
	if err != nil {
		t.Fatal(err)
	}
	if one.DiffID != other.DiffID || one.Size != other.Size {
		t.Errorf("layers differ: %+v, %+v", one, other)
	}
	content, err := os.ReadFile(one.Path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	if want := "sha256:" + hex.EncodeToString(sum[:]); one.DiffID != want || one.Size != int64(len(content)) {
		t.Errorf("layer says %s and %d bytes, its file is %s and %d bytes", one.DiffID, one.Size, want, len(content))
	}
}

// tarOf makes a tar as another program would: entries in any order, with times.
func tarOf(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	for _, header := range headers {
		content := []byte{}
		if header.Typeflag == tar.TypeReg {
			content = []byte("content of " + header.Name)
			header.Size = int64(len(content))
		}
		if err := writer.WriteHeader(&header); err != nil {
			t.Fatal(err)
		}
		if _, err := writer.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return buffer.Bytes()
}

func sampleTar(t testing.TB) []byte {
	return tarOf(t,
		tar.Header{Name: "./", Typeflag: tar.TypeDir, Mode: 0o755},
		tar.Header{Name: "./usr/", Typeflag: tar.TypeDir, Mode: 0o755, Uid: 1},
		tar.Header{Name: "./usr/x", Typeflag: tar.TypeReg, Mode: 0o4755, Gid: 2},
		tar.Header{Name: "./usr/a", Typeflag: tar.TypeLink, Linkname: "./usr/x", Mode: 0o4755, Gid: 2},
		tar.Header{Name: "./bin", Typeflag: tar.TypeSymlink, Linkname: "usr", Mode: 0o777},
		tar.Header{Name: "./dev/null", Typeflag: tar.TypeChar, Mode: 0o666, Devmajor: 1, Devminor: 3},
	)
}

func TestReadThenWriteKeepsWhatMatters(t *testing.T) {
	raw := sampleTar(t)
	files, err := Read(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "layer.tar")
	if _, err := WriteLayer(path, files); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"2 777 0:0 bin -> usr",
		"5 755 0:0 dev/",
		"3 666 0:0 dev/null",
		"5 755 1:0 usr/",
		"0 4755 0:2 usr/a = content of ./usr/x",
		"1 4755 0:2 usr/x -> usr/a",
	}
	if diff := cmp.Diff(want, outline(t, path)); diff != "" {
		t.Errorf("unexpected entries (-want +got):\n%s", diff)
	}
}

// Whatever is read can be written, and reads again as the same.
func FuzzRead(f *testing.F) {
	f.Add(sampleTar(f))
	f.Add(tarOf(f, tar.Header{Name: "../x", Typeflag: tar.TypeReg}))
	f.Add([]byte("not a tar"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		files, err := Read(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			return
		}
		dir := t.TempDir()
		first, err := WriteLayer(filepath.Join(dir, "first"), files)
		if err != nil {
			return
		}
		again, err := os.Open(first.Path)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		files, err = Read(again, first.Size)
		if err != nil {
			t.Fatalf("reading what was written: %v", err)
		}
		second, err := WriteLayer(filepath.Join(dir, "second"), files)
		if err != nil {
			t.Fatalf("writing what was read: %v", err)
		}
		if first.DiffID != second.DiffID {
			t.Error("writing what was read gives another layer")
		}
	})
}
