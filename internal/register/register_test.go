package register_test

import (
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/pod"
	"github.com/myuser/db-operator/internal/register"
	"github.com/myuser/db-operator/internal/register/registertest"
)

const (
	leasePath = "/apis/coordination.k8s.io/v1/namespaces/shop/leases/orders-ha"
	slicePath = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/orders-rw"
)

// serve starts the fake API server and returns a client of it.
func serve(t *testing.T, api *registertest.Server) *register.Client {
	t.Helper()
	server := httptest.NewTLSServer(api)
	t.Cleanup(server.Close)
	dir := t.TempDir()
	c := &register.Client{URL: server.URL, CAFile: filepath.Join(dir, "ca.crt"), TokenFile: filepath.Join(dir, "token")}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	put(t, c.CAFile, string(ca))
	put(t, c.TokenFile, api.Token+"\n")
	return c
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func lease(bootstrap string) map[string]any {
	meta := map[string]any{"name": "orders-ha", "namespace": "shop", "labels": map[string]any{"example.com/database": "orders"}}
	if bootstrap != "" {
		meta["annotations"] = map[string]any{pod.BootstrapAnnotation: bootstrap}
	}
	return map[string]any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": meta}
}

func TestConformance(t *testing.T) {
	t.Run("in memory", func(t *testing.T) {
		registertest.Conformance(t, func(*testing.T) registertest.World {
			m := &registertest.Memory{}
			return registertest.World{Register: m, Create: m.Create, Delete: m.Delete}
		})
	})
	t.Run("in a Lease", func(t *testing.T) {
		registertest.Conformance(t, func(t *testing.T) registertest.World {
			api := &registertest.Server{Token: "secret"}
			return registertest.World{
				Register: register.NewLease(serve(t, api), "shop", "orders-ha", "orders-0"),
				Create:   func(bootstrap string) { api.Create(leasePath, lease(bootstrap)) },
				Delete:   func() { api.Delete(leasePath) },
			}
		})
	})
}

func TestLeaseKeepsWhatItDoesNotKnow(t *testing.T) {
	api := &registertest.Server{}
	object := lease("orders-0")
	object["spec"] = map[string]any{"strategy": "of another writer", "leaseDurationSeconds": 9007199254740993}
	api.Create(leasePath, object)
	l := register.NewLease(serve(t, api), "shop", "orders-ha", "orders-0")
	state, err := l.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	record := ha.First("uid-a", "fast").Claim("uid-a")
	if _, err := l.Write(t.Context(), record, state.Base); err != nil {
		t.Fatal(err)
	}
	got := api.Object(leasePath)
	spec := map[string]any{"strategy": "of another writer", "leaseDurationSeconds": float64(9007199254740993), "leaseTransitions": 1.0, "holderIdentity": "orders-0"}
	if diff := cmp.Diff(spec, got["spec"]); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	meta := got["metadata"].(map[string]any)
	if diff := cmp.Diff(map[string]any{"example.com/database": "orders"}, meta["labels"]); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{pod.RecordAnnotation: record.Encode()}, meta["annotations"]); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

func TestALostAnswerIsUnknownAndTheWriteStands(t *testing.T) {
	api := &registertest.Server{}
	api.Create(leasePath, lease(""))
	l := register.NewLease(serve(t, api), "shop", "orders-ha", "orders-0")
	state, err := l.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	api.After = func(r *http.Request) bool { return r.Method != http.MethodPut }
	record := ha.First("uid-a", "fast")
	if _, err := l.Write(t.Context(), record, state.Base); !errors.Is(err, register.ErrUnknown) {
		t.Fatalf("error is %v, want %v", err, register.ErrUnknown)
	}
	state, err = l.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&record, state.Record); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

// Only the record tells that the register was turned back: numbers that stay
// below those read before must not make it unusable for ever.
func TestARegisterThatWasTurnedBackIsReadAndWritten(t *testing.T) {
	api := &registertest.Server{}
	api.Create(leasePath, lease(""))
	l := register.NewLease(serve(t, api), "shop", "orders-ha", "orders-0")
	old := api.Object(leasePath)
	state, err := l.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Write(t.Context(), ha.First("uid-a", "fast"), state.Base); err != nil {
		t.Fatal(err)
	}
	api.Restore(leasePath, old)
	state, err = l.Read(t.Context())
	if err != nil || state.Record != nil {
		t.Fatalf("read %v, %v, want a register without a record", state.Record, err)
	}
	again := ha.First("uid-a", "fast")
	if state, err = l.Write(t.Context(), again, state.Base); err != nil || !state.Record.Equal(again) {
		t.Errorf("wrote %v, %v, want %v", state.Record, err, again)
	}
}

func TestARecordThatNobodyWritesIsAProblem(t *testing.T) {
	api := &registertest.Server{}
	object := lease("")
	object["metadata"].(map[string]any)["annotations"] = map[string]any{pod.RecordAnnotation: `{"version":-1}`}
	api.Create(leasePath, object)
	state, err := register.NewLease(serve(t, api), "shop", "orders-ha", "orders-0").Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if state.Record != nil || state.Problem == nil {
		t.Errorf("state is %+v, want one with a problem", state)
	}
}

func TestTheTokenIsReadAgain(t *testing.T) {
	api := &registertest.Server{Token: "old"}
	api.Create(leasePath, lease(""))
	client := serve(t, api)
	l := register.NewLease(client, "shop", "orders-ha", "orders-0")
	if _, err := l.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	api.Token = "new"
	if _, err := l.Read(t.Context()); !errors.Is(err, register.ErrUnknown) {
		t.Errorf("error is %v, want %v", err, register.ErrUnknown)
	}
	put(t, client.TokenFile, "new")
	if _, err := l.Read(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestInClusterBracketsIPv6(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	c, err := register.InCluster()
	if err != nil {
		t.Fatal(err)
	}
	if c.URL != "https://[fd00::1]:443" {
		t.Errorf("URL is %s", c.URL)
	}
}

func slice() map[string]any {
	return map[string]any{
		"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
		"metadata": map[string]any{"name": "orders-rw", "namespace": "shop"},
		"ports":    []any{map[string]any{"name": "engine", "port": 5432}},
	}
}

func TestPublish(t *testing.T) {
	record := ha.First("uid-a", "fast").Claim("uid-a")
	here := register.Endpoint{Namespace: "shop", Pod: "orders-0", Node: "node-1", Addresses: []netip.Addr{netip.MustParseAddr("fd00::7"), netip.MustParseAddr("10.0.0.7")}}
	api := &registertest.Server{}
	api.Create(slicePath, slice())
	endpoints := register.Endpoints{Client: serve(t, api)}
	publish := func(r ha.Record, e register.Endpoint) error { return endpoints.Publish(t.Context(), "orders-rw", r, e) }

	if err := publish(record, here); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"addresses":  []any{"10.0.0.7"},
		"conditions": map[string]any{"ready": true, "serving": true, "terminating": false},
		"targetRef":  map[string]any{"kind": "Pod", "namespace": "shop", "name": "orders-0"},
		"nodeName":   "node-1",
	}
	if diff := cmp.Diff([]any{want}, api.Object(slicePath)["endpoints"]); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(slice()["ports"].([]any)[0].(map[string]any)["name"], api.Object(slicePath)["ports"].([]any)[0].(map[string]any)["name"]); diff != "" {
		t.Errorf("port (-want +got):\n%s", diff)
	}

	before := api.Requests(http.MethodPut)
	if err := publish(record, here); err != nil {
		t.Fatal(err)
	}
	if after := api.Requests(http.MethodPut); after != before {
		t.Errorf("publishing the same again wrote %d times", after-before)
	}

	newer := record.Claim("uid-a")
	elsewhere := here
	elsewhere.Addresses = []netip.Addr{netip.MustParseAddr("10.0.0.8")}
	if err := publish(newer, elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := publish(record, here); !errors.Is(err, register.ErrOutdated) {
		t.Errorf("error of the older leader is %v, want %v", err, register.ErrOutdated)
	}

	nowhere := here
	nowhere.Addresses = nil
	if err := publish(newer, nowhere); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{}, api.Object(slicePath)["endpoints"]); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}

	api.Delete(slicePath)
	if err := publish(newer, here); !errors.Is(err, register.ErrAbsent) {
		t.Errorf("error without a slice is %v, want %v", err, register.ErrAbsent)
	}
}

func TestPublishRunsALostRaceAgain(t *testing.T) {
	api := &registertest.Server{}
	api.Create(slicePath, slice())
	races := 2
	api.Before = func(r *http.Request) bool {
		if r.Method == http.MethodPut && races > 0 {
			races--
			api.Touch(slicePath)
		}
		return true
	}
	endpoints := register.Endpoints{Client: serve(t, api)}
	here := register.Endpoint{Namespace: "shop", Pod: "orders-0", Addresses: []netip.Addr{netip.MustParseAddr("fd00::7"), netip.MustParseAddr("10.0.0.7")}}
	if err := endpoints.Publish(t.Context(), "orders-rw", ha.First("uid-a", "fast").Claim("uid-a"), here); err != nil {
		t.Fatal(err)
	}
	if n := len(api.Object(slicePath)["endpoints"].([]any)); n != 1 {
		t.Errorf("slice has %d endpoints, want 1", n)
	}
}
