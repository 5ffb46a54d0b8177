package main

import (
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/pod"
)

func TestParseRunReadsThePod(t *testing.T) {
	for name, value := range map[string]string{
		"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443",
		pod.EnvName: "orders-2", pod.EnvNamespace: "shop", pod.EnvNode: "node-1",
		pod.EnvIP: "10.0.0.7", pod.EnvIPs: "10.0.0.7,fd00::7", pod.EnvMemoryBytes: "536870912",
	} {
		t.Setenv(name, value)
	}
	o, err := parseRun(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []netip.Addr{netip.MustParseAddr("10.0.0.7"), netip.MustParseAddr("fd00::7")}
	if diff := cmp.Diff(want, o.IPs, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
	}
	if o.Pod != "orders-2" || o.Namespace != "shop" || o.Node != "node-1" || o.Memory != 512<<20 || o.API != ":8443" || o.Metrics != ":9187" {
		t.Errorf("options are %+v", o)
	}
	if o.Layout.Data != pod.DataDir || o.Layout.Run != pod.RunMount || o.Client.URL != "https://[fd00::1]:443" {
		t.Errorf("layout is %+v, client %s", o.Layout, o.Client.URL)
	}
}

func TestParseRunRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		args []string
	}{
		"no cluster":       {map[string]string{pod.EnvName: "a-0", pod.EnvNamespace: "b"}, nil},
		"no name":          {map[string]string{pod.EnvNamespace: "b"}, []string{"--api-server=https://localhost"}},
		"a wrong address":  {map[string]string{pod.EnvName: "a-0", pod.EnvNamespace: "b", pod.EnvIP: "x"}, []string{"--api-server=https://localhost"}},
		"a wrong size":     {map[string]string{pod.EnvName: "a-0", pod.EnvNamespace: "b", pod.EnvMemoryBytes: "1Gi"}, []string{"--api-server=https://localhost"}},
		"an unknown flag":  {nil, []string{"--no-such-flag"}},
		"a stray argument": {nil, []string{"--api-server=https://localhost", "stray"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBERNETES_SERVICE_HOST", "")
			for key, value := range c.env {
				t.Setenv(key, value)
			}
			if _, err := parseRun(c.args); err == nil {
				t.Error("it is accepted")
			}
		})
	}
}

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	for range 2 { // an init container may run again
		if err := installTo(dir, "engine", 1000680000, 0); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(filepath.Join(dir, "agent"))
	if err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("agent: %v, %v", info, err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "passwd"))
	if err != nil {
		t.Fatal(err)
	}
	want := "engine:x:1000680000:0::/tmp:/bin/sh\nroot:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/nonexistent:/bin/false\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("passwd (-want +got):\n%s", diff)
	}
}
