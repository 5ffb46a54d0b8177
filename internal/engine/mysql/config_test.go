package mysql

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func testConfig(version string) engine.Config {
	return engine.Config{
		Version:  version,
		Member:   "my-mysql-0",
		ServerID: 1001,
		Memory:   2 << 30,
		Parameters: map[string]string{
			"max_connections": "300",
			"sql_mode":        "STRICT_TRANS_TABLES,NO_ZERO_DATE",
			"init_connect":    `SET @note = "a #1 \ b"`,
			"event_scheduler": "OFF",
		},
		Paths: engine.Paths{DataDir: "/data/data", ConfigDir: "/run/agent/engine", TmpDir: "/data/tmp", RunDir: "/run"},

		CertFile: "/run/agent/tls/tls.crt", KeyFile: "/run/agent/tls/tls.key", CAFile: "/run/agent/tls/ca.crt",
	}
}

func TestFilesOfEachVersion(t *testing.T) {
	for _, version := range []string{"8.0", "8.4", "9.7", "26.10"} {
		t.Run(version, func(t *testing.T) {
			files, err := Profile{}.Files(testConfig(version))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) != 1 || files[0].Name != ConfigFile {
				t.Fatalf("Files made %v, want only %s", files, ConfigFile)
			}
			golden(t, "my-"+version+".cnf", files[0].Content)
		})
	}
}

func TestFilesOfASmallContainer(t *testing.T) {
	c := testConfig("9.7")
	c.Memory, c.Parameters = 512*mib, map[string]string{"innodb_buffer_pool_size": "64M"}
	files, err := Profile{}.Files(c)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "my-9.7-small.cnf", files[0].Content)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got), -update rewrites it:\n%s", path, diff)
	}
}

func TestFilesRefusesAnUnsupportedVersion(t *testing.T) {
	if _, err := (Profile{}).Files(testConfig("5.7")); err == nil {
		t.Error("Files rendered a configuration for 5.7")
	}
}

func TestMemory(t *testing.T) {
	for name, c := range map[string]struct{ memory, pool, connections int64 }{
		"unknown memory gives the engine's default":  {0, 128 * mib, 151},
		"a small container keeps room for the rest":  {512 * mib, 128 * mib, 151},
		"in between the rest is subtracted":          {1024 * mib, 640 * mib, 151},
		"a large one gives 70 percent to the pool":   {4096 * mib, 2867 * mib, 256},
		"a very large one does not admit everybody":  {256 << 30, 183500 * mib, 2000},
		"odd numbers are rounded down to whole MiBs": {4096*mib + 1, 2867 * mib, 256},
	} {
		t.Run(name, func(t *testing.T) {
			if got := bufferPool(c.memory); got != c.pool {
				t.Errorf("bufferPool(%d) = %d MiB, want %d MiB", c.memory, got/mib, c.pool/mib)
			}
			if got := connections(c.memory); got != c.connections {
				t.Errorf("connections(%d) = %d, want %d", c.memory, got, c.connections)
			}
		})
	}
}

func TestQuote(t *testing.T) {
	for value, want := range map[string]string{
		"256M":        "256M",
		"":            `""`,
		" a ":         `" a "`,
		"a#b":         `"a#b"`,
		`C:\new`:      `"C:\\new"`,
		`say "x"`:     `"say \"x\""`,
		"one\ntwo":    `"one\ntwo"`,
		"O'Hara;x=$y": `"O'Hara;x=$y"`,
	} {
		if got := quote(value); got != want {
			t.Errorf("quote(%q) = %s, want %s", value, got, want)
		}
	}
}

func FuzzQuoteNeverEndsTheLine(f *testing.F) {
	f.Add("plain")
	f.Add("a\n[client]\nx=\"y\\")
	f.Fuzz(func(t *testing.T, value string) {
		quoted := quote(value)
		if strings.ContainsAny(quoted, "\n\r") {
			t.Errorf("quote(%q) = %q spans lines", value, quoted)
		}
		if got := readBack(quoted); got != value {
			t.Errorf("reading back %q gives %q, want %q", quoted, got, value)
		}
	})
}

// readBack does what the option file reader does with a value.
func readBack(quoted string) string {
	if !strings.HasPrefix(quoted, `"`) {
		return quoted
	}
	var out strings.Builder
	escaped := false
	for _, c := range []byte(quoted[1 : len(quoted)-1]) {
		switch {
		case escaped:
			out.WriteByte(map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '\\': '\\', '"': '"'}[c])
			escaped = false
		case c == '\\':
			escaped = true
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}
