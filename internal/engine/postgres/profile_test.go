package postgres

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

var update = flag.Bool("update", false, "write the golden files")

func testConfig(version string) engine.Config {
	return engine.Config{
		Version: version, Member: "db-1", Ordinal: 1, ServerID: 7, Memory: 2 * gib,
		Parameters: map[string]string{"max_connections": "200", "auto_explain.log_min_duration": "5s"},
		Paths: engine.Paths{
			DataDir: "/data/data", ConfigDir: "/data/agent/config", TmpDir: "/data/tmp", RunDir: "/run",
		},
		CertFile: "/run/agent/tls.crt", KeyFile: "/run/agent/tls.key", CAFile: "/run/agent/ca.crt",
		ReplicationSubjects: []string{"db-0", "db-1", "db-2", "db-3", "db-4"},
	}
}

func TestFilesPerVersion(t *testing.T) {
	for _, version := range series {
		files, err := Profile{}.Files(testConfig(version))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			golden(t, filepath.Join(version, f.Name), f.Content)
		}
	}
}

func TestFilesPerGate(t *testing.T) {
	for _, gate := range []engine.Gate{engine.GateClosed, engine.GateReadOnly, engine.GateOpen} {
		c := testConfig("17")
		c.Gate = gate
		golden(t, "gate-"+gate.String()+"-"+HBAFile, hba(c))
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; -update writes it (-want +got):\n%s", path, diff)
	}
}

func TestUserParametersWinOverMemorySettings(t *testing.T) {
	c := testConfig("17")
	c.Parameters = map[string]string{"Work_Mem": "3MB"}
	got := defaults(c)
	if got["work_mem"] == "3MB" {
		t.Fatal("defaults must not know the user's value")
	}
	files, _ := Profile{}.Files(c)
	if text := files[len(files)-1].Content; !strings.Contains(text, "\nwork_mem = '3MB'\n") || strings.Contains(text, "Work_Mem") {
		t.Errorf("the user's work_mem is not the only one in:\n%s", text)
	}
}

func TestEveryFileChangesTheProofOfReading(t *testing.T) {
	proof := func(c engine.Config) string {
		files, err := Profile{}.Files(c)
		if err != nil {
			t.Fatal(err)
		}
		return Rendered(files)
	}
	base := proof(testConfig("17"))
	gate, map_, setting := testConfig("17"), testConfig("17"), testConfig("17")
	gate.Gate = engine.GateOpen
	map_.ReplicationSubjects = []string{"other"}
	setting.Memory = gib
	for name, c := range map[string]engine.Config{"gate": gate, "map": map_, "setting": setting} {
		if proof(c) == base {
			t.Errorf("a change of the %s leaves %s as it was", name, RenderedSetting)
		}
	}
	if base == "" || proof(testConfig("17")) != base {
		t.Error("the proof is not a function of the files")
	}
}

func TestMemorySettings(t *testing.T) {
	for name, c := range map[string]struct {
		memory     int64
		parameters map[string]string
		want       map[string]string
	}{
		"unknown memory counts as the default request": {0, nil, map[string]string{
			"shared_buffers": "131072kB", "effective_cache_size": "393216kB", "work_mem": "4096kB",
			"maintenance_work_mem": "32768kB", "autovacuum_work_mem": "16384kB"}},
		"a tiny container keeps a working server": {32 * mib, nil, map[string]string{
			"shared_buffers": "16384kB", "effective_cache_size": "65536kB", "work_mem": "4096kB",
			"maintenance_work_mem": "16384kB", "autovacuum_work_mem": "16384kB"}},
		"64 GiB shared by 400 connections": {64 * gib, map[string]string{"max_connections": "400"}, map[string]string{
			"shared_buffers": "16777216kB", "effective_cache_size": "50331648kB", "work_mem": "41943kB",
			"maintenance_work_mem": "2097152kB", "autovacuum_work_mem": "1048576kB"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, memorySettings(c.memory, c.parameters)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResolve(t *testing.T) {
	for version, want := range map[string]engine.Version{
		"15": {Series: "15"}, "16": {Series: "16"}, "17.12": {Series: "17", Patch: "12"}, "18.0": {Series: "18", Patch: "0"},
	} {
		if got, err := (Profile{}).Resolve(version); err != nil || got != want {
			t.Errorf("Resolve(%q) = %v, %v; want %v", version, got, err, want)
		}
	}
	for _, version := range []string{"", "14", "19", "17.", "17.1.2", "017", "17-alpine", "17.01", "8.0", " 17", "17\n"} {
		_, err := Profile{}.Resolve(version)
		var unsupported *engine.UnsupportedVersion
		if !errors.As(err, &unsupported) {
			t.Errorf("Resolve(%q) = %v, want an UnsupportedVersion", version, err)
		}
	}
}
