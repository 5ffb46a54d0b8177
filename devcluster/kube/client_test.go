package kube_test

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/kube"
)

func newClient(t *testing.T, handler http.HandlerFunc) *kube.Client {
	t.Helper()
	server := httptest.NewTLSServer(handler)
	t.Cleanup(server.Close)
	ca := filepath.Join(t.TempDir(), "ca.crt")
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(ca, content, 0o644); err != nil {
		t.Fatal(err)
	}
	client, err := kube.New(server.URL, "secret", ca)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func TestRefusalCarriesTheServersMessage(t *testing.T) {
	client := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret" {
			t.Errorf("Authorization = %q", r.Header.Get("Authorization"))
		}
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"message":"no such pod"}`)
	})
	err := client.Get(t.Context(), "/x", nil)
	var status *kube.StatusError
	if !errors.As(err, &status) || status.Code != http.StatusNotFound || status.Message != "no such pod" {
		t.Errorf("Get = %v", err)
	}
	if err := client.Delete(t.Context(), "/x"); err != nil {
		t.Errorf("deleting what is gone = %v", err)
	}
}

func TestWatchHandsOnEventsUntilItsEnd(t *testing.T) {
	client := newClient(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") != "true" || r.URL.Query().Get("limit") != "1" {
			t.Errorf("query = %s", r.URL.RawQuery)
		}
		fmt.Fprint(w, `{"type":"ADDED","object":{}}`+"\n"+`{"type":"DELETED","object":{}}`+"\n")
	})
	var got []string
	err := client.Watch(t.Context(), "/x?limit=1", "", func(e kube.Event) error {
		got = append(got, e.Type)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"ADDED", "DELETED"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestWatchReportsTheServersError(t *testing.T) {
	client := newClient(t, func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"type":"ERROR","object":{"message":"too old"}}`)
	})
	if err := client.Watch(t.Context(), "/x", "1", func(kube.Event) error { return nil }); err == nil {
		t.Error("an ERROR event ended the watch without an error")
	}
}
