package images

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const deb822 = `# The archive.
Types: deb deb-src
URIs: http://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abcd
 -----END PGP PUBLIC KEY BLOCK-----

Enabled: no
Types: deb
URIs: http://disabled.example/debian
Suites: sid
Components: main

types: deb-src
URIs: http://source.example/debian
Suites: sid
Components: main
`

func TestParseDeb822(t *testing.T) {
	got, err := parseDeb822(deb822)
	if err != nil {
		t.Fatal(err)
	}
	signed := map[string]string{"signed-by": "/usr/share/keyrings/debian-archive-keyring.gpg"}
	want := []source{
		{URI: "http://mirror.example/debian", Suite: "bookworm", Components: []string{"main", "contrib"}, Options: signed},
		{URI: "http://mirror.example/debian", Suite: "bookworm-updates", Components: []string{"main", "contrib"}, Options: signed},
		{
			URI: "http://security.example/debian-security", Suite: "bookworm-security", Components: []string{"main"},
			Options: map[string]string{},
			Key:     "\n-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nabcd\n-----END PGP PUBLIC KEY BLOCK-----\n",
		},
	}
	want[2].Key = strings.TrimPrefix(want[2].Key, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected sources (-want +got):\n%s", diff)
	}
}

func TestParseOneLine(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		want    []source
		wantErr string
	}{
		"comments, sources of source and empty lines are skipped": {
			text: "# deb http://a.example/debian sid main\n\ndeb-src http://a.example/debian sid main\n",
		},
		"a plain source, with a comment behind it": {
			text: "deb\thttp://a.example/debian  sid main contrib # the archive",
			want: []source{{URI: "http://a.example/debian", Suite: "sid", Components: []string{"main", "contrib"}, Options: map[string]string{}}},
		},
		"options in brackets": {
			text: "deb [ arch=amd64 Signed-By=/k.gpg trusted+=yes ] http://a.example/debian sid main",
			want: []source{{
				URI: "http://a.example/debian", Suite: "sid", Components: []string{"main"},
				Options: map[string]string{"arch": "amd64", "signed-by": "/k.gpg", "trusted": "yes"},
			}},
		},
		"an open bracket is an error with its line": {text: "\ndeb [ arch=amd64 http://a.example sid", wantErr: "line 2"},
		"a missing suite is an error with its line": {text: "deb http://a.example", wantErr: "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseOneLine(test.text)
			if test.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), test.wantErr) {
					t.Fatalf("got %v, want an error with %q", err, test.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unexpected sources (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPickMirror(t *testing.T) {
	main := []string{"main"}
	debian := source{URI: "http://mirror.example/debian", Suite: "bookworm", Components: main}
	security := source{URI: "http://security.example/debian-security", Suite: "bookworm-security", Components: main}
	for name, test := range map[string]struct {
		sources  []source
		archive  string
		security string
	}{
		"the archive and its security archive": {
			sources: []source{security, debian},
			archive: debian.URI, security: security.URI,
		},
		"another vendor with Debian's suite names comes second": {
			sources: []source{{URI: "https://vendor.example/apt", Suite: "bookworm", Components: main}, debian},
			archive: debian.URI,
		},
		"the archive is known by its updates, whatever its path": {
			sources: []source{
				{URI: "https://vendor.example/debian", Suite: "bookworm", Components: main},
				{URI: "https://proxy.example/d", Suite: "bookworm", Components: main, Options: map[string]string{"signed-by": "/usr/share/keyrings/debian-archive-keyring.gpg"}},
				{URI: "https://proxy.example/d", Suite: "bookworm-updates", Components: main},
			},
			archive: "https://proxy.example/d",
		},
		"installation media and other components do not count": {
			sources: []source{
				{URI: "cdrom:[Debian]/", Suite: "bookworm", Components: main},
				{URI: "http://a.example/debian", Suite: "bookworm", Components: []string{"stable"}},
			},
		},
		"a machine of another distribution has none": {
			sources: []source{{URI: "http://archive.example/ubuntu", Suite: "jammy", Components: main}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := pickMirror(test.sources)
			if test.archive == "" {
				if !errors.Is(err, errNoDebianArchive) {
					t.Fatalf("got %v, %v", got, err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got.archive.URI != test.archive {
				t.Errorf("archive %s, want %s", got.archive.URI, test.archive)
			}
			if test.security == "" != (got.security == nil) || got.security != nil && got.security.URI != test.security {
				t.Errorf("security %v, want %q", got.security, test.security)
			}
		})
	}
}

func TestMirrorLines(t *testing.T) {
	dir := t.TempDir()
	m := mirror{
		archive:  source{URI: "http://a.example/debian", Suite: "bookworm", Options: map[string]string{"signed-by": "/k.gpg", "check-valid-until": "no"}},
		security: &source{URI: "http://s.example/debian-security", Suite: "bookworm-security", Key: "the key\n"},
	}
	got, err := m.lines("trixie", true, dir)
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "archive-key.asc")
	want := []string{
		"deb [check-valid-until=no signed-by=/k.gpg] http://a.example/debian trixie main",
		"deb [check-valid-until=no signed-by=/k.gpg] http://a.example/debian trixie-updates main",
		"deb [signed-by=" + key + "] http://s.example/debian-security trixie-security main",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected lines (-want +got):\n%s", diff)
	}
	if written, err := os.ReadFile(key); err != nil || string(written) != "the key\n" {
		t.Errorf("the written key is %q, %v", written, err)
	}
	moving, err := m.lines("sid", false, dir)
	if err != nil || len(moving) != 1 {
		t.Errorf("a suite without security gives %v, %v", moving, err)
	}
}

func TestReadSources(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "sources.list.d")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		filepath.Join(dir, "sources.list"):         "deb http://one.example/debian sid main\n",
		filepath.Join(folder, "two.list"):          "deb http://two.example/debian sid main\n",
		filepath.Join(folder, "debian.sources"):    deb822,
		filepath.Join(folder, "old.list.disabled"): "deb nonsense\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sources, err := readSources(filepath.Join(dir, "sources.list"), folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) != 5 {
		t.Errorf("%d sources, want 5: %v", len(sources), sources)
	}
	if _, err := readSources(filepath.Join(dir, "absent.list"), folder); err != nil {
		t.Errorf("a machine without sources.list: %v", err)
	}
}

func TestTransportOptions(t *testing.T) {
	dump := `APT::Architecture "amd64";
Acquire "";
Acquire::http "";
Acquire::http::Proxy "http://proxy.example:3128/";
Acquire::https::Verify-Peer "true";
Acquire::Retries "3";
Acquire::GzipIndexes "true";
Acquire::Languages:: "none";
Dir::Cache "var/cache/apt";
`
	want := []string{
		`Acquire::http::Proxy "http://proxy.example:3128/";`,
		`Acquire::https::Verify-Peer "true";`,
		`Acquire::Retries "3";`,
	}
	if diff := cmp.Diff(want, transportOptions(dump)); diff != "" {
		t.Errorf("unexpected options (-want +got):\n%s", diff)
	}
}

// Every source that is read has what a line for apt needs.
func FuzzParseSources(f *testing.F) {
	f.Add(deb822)
	f.Add("deb [signed-by=/k.gpg] http://a.example/debian sid main\n")
	f.Add("deb [")
	f.Add(" continued")
	f.Add("Types: deb\nURIs: a\nSuites: b\nSigned-By:\n .\n\tBEGIN PGP\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) ([]source, error){parseOneLine, parseDeb822} {
			sources, err := parse(text)
			if err != nil {
				continue
			}
			for _, s := range sources {
				if s.URI == "" || s.Suite == "" || strings.ContainsAny(s.URI+s.Suite, " \n\t") {
					t.Errorf("unusable source %+v", s)
				}
			}
			pickMirror(sources)
		}
		for _, option := range transportOptions(text) {
			if strings.Contains(option, "\n") || !strings.HasSuffix(option, `";`) {
				t.Errorf("unusable option %q", option)
			}
		}
	})
}
