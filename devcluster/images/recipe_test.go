package images

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/archive"
)

func TestEveryFieldOfARecipeDecidesItsHash(t *testing.T) {
	base := recipe{}.hash()
	seen := map[string]string{base: "nothing"}
	for i := range reflect.TypeFor[recipe]().NumField() {
		var changed recipe
		field := reflect.TypeFor[recipe]().Field(i)
		value := reflect.ValueOf(&changed).Elem().Field(i)
		switch value.Interface().(type) {
		case string:
			value.SetString("changed")
		case bool:
			value.SetBool(true)
		case []string:
			value.Set(reflect.ValueOf([]string{"changed"}))
		case map[string][]string:
			value.Set(reflect.ValueOf(map[string][]string{"folder": {"changed"}}))
		case []addition:
			value.Set(reflect.ValueOf([]addition{{Content: "changed"}}))
		case archive.Config:
			value.Set(reflect.ValueOf(archive.Config{User: "changed"}))
		default:
			t.Fatalf("field %s has the type %s, which this test does not know", field.Name, field.Type)
		}
		hash := changed.hash()
		if other, found := seen[hash]; found {
			t.Errorf("changing %s gives the hash of changing %s", field.Name, other)
		}
		seen[hash] = field.Name
	}
	if base != (recipe{}).hash() {
		t.Error("equal recipes hash unequal")
	}
}

func TestKnownImages(t *testing.T) {
	want := []string{
		"docker.io/library/postgres:15", "docker.io/library/postgres:17", "docker.io/library/postgres:18",
		"docker.io/library/mysql:9.7",
	}
	if diff := cmp.Diff(want, Known()); diff != "" {
		t.Errorf("unexpected names (-want +got):\n%s", diff)
	}
	hashes := map[string]bool{}
	for _, r := range recipes() {
		if hashes[r.hash()] {
			t.Errorf("%s shares its hash", r.name())
		}
		hashes[r.hash()] = true
		short := strings.TrimPrefix(r.name(), "docker.io/library/")
		for _, name := range []string{r.name(), short} {
			if found, err := recipeOf(name); err != nil || found.name() != r.name() {
				t.Errorf("recipeOf(%q) = %s, %v", name, found.name(), err)
			}
		}
	}
	if _, err := recipeOf("docker.io/library/postgres:9"); err == nil || !strings.Contains(err.Error(), want[0]) {
		t.Errorf("an unknown image: %v, want an error that lists the known ones", err)
	}
}

// An addition below a symbolic link of Debian's (/lib64, /var/run) would clash
// with it, which the archive refuses only after a minute of building.
func TestAdditionsAvoidSymbolicLinksOfDebian(t *testing.T) {
	for _, r := range recipes() {
		for _, a := range r.Add {
			for _, link := range []string{"bin/", "lib/", "lib64/", "sbin/", "var/run/", "var/lock/"} {
				if strings.HasPrefix(a.Path, link) {
					t.Errorf("%s adds %s below the symbolic link %s", r.name(), a.Path, link)
				}
			}
		}
	}
}

func TestSelectFiles(t *testing.T) {
	r := recipe{
		Skip:   []string{"usr/lib/*/libLLVM*"},
		Remove: []string{"usr/share/perl*", "etc/init.d/x"},
		Only:   map[string][]string{"usr/lib/plugin": {"kept.so"}},
	}
	paths := map[string]bool{ // path → kept
		"usr/lib/x86_64-linux-gnu/libLLVM-14.so.1": false,
		"usr/lib/x86_64-linux-gnu/libc.so.6":       true,
		"usr/lib/libLLVM.so":                       true,
		"usr/share/perl5/deep/below/File.pm":       false,
		"usr/share/perl":                           false,
		"etc/init.d/x":                             false,
		"etc/init.d/xy":                            true,
		"usr/lib/plugin":                           true,
		"usr/lib/plugin/kept.so":                   true,
		"usr/lib/plugin/other.so":                  false,
		"etc/apt/sources.list":                     false,
		"etc/resolv.conf":                          false,
		"dev":                                      true,
		"dev/null":                                 false,
		"var/lib/dpkg/status":                      true,
		"var/lib/dpkg/status-old":                  false,
	}
	var files []archive.File
	want := []string{}
	for path, kept := range paths {
		files = append(files, archive.File{Path: path})
		if kept {
			want = append(want, path)
		}
	}
	got := []string{}
	for _, file := range r.selectFiles(files) {
		got = append(got, file.Path)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected selection (-want +got):\n%s", diff)
	}
}

func TestConfigCarriesTheVersion(t *testing.T) {
	r := recipe{Config: archive.Config{Env: []string{"PG_MAJOR=17", "PG_VERSION={version}"}}}
	want := []string{"PG_MAJOR=17", "PG_VERSION=17.9-1"}
	if diff := cmp.Diff(want, r.config("17.9-1").Env); diff != "" {
		t.Errorf("unexpected environment (-want +got):\n%s", diff)
	}
	if r.Config.Env[1] != "PG_VERSION={version}" {
		t.Error("the recipe itself was changed")
	}
}

func TestVersions(t *testing.T) {
	status := "Package: postgresql-1\nVersion: 1.0\n\nPackage: postgresql-17\nStatus: ok\nVersion: 1:17.9-0+deb13u1\n\nPackage: z\nVersion: 3\n"
	if got := versionIn(status, "postgresql-17"); got != "1:17.9-0+deb13u1" {
		t.Errorf("versionIn = %q", got)
	}
	if got := versionIn(status, "absent"); got != "" {
		t.Errorf("versionIn of an absent package = %q", got)
	}
	for version, want := range map[string]string{
		"1:17.9-0+deb13u1": "17.9",
		"9.7.4-2":          "9.7.4",
		"9.7.4":            "9.7.4",
		"1.2-3-4":          "1.2-3",
		"":                 "",
	} {
		if got := upstreamVersion(version); got != want {
			t.Errorf("upstreamVersion(%q) = %q, want %q", version, got, want)
		}
	}
}
