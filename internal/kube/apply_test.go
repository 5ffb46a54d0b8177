//go:build apiserver

package kube

import (
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/myuser/db-operator/internal/kubetest"
)

var server *kubetest.Server

func TestMain(m *testing.M) {
	os.Exit(kubetest.Run(m, func(s *kubetest.Server) { server = s }))
}

func TestApply(t *testing.T) {
	direct, err := client.New(server.Config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w, ctx := NewWriter(direct), t.Context()
	for name, c := range map[string]struct {
		edit             func(*corev1.ConfigMap) // by somebody else, in between
		second           map[string]string
		sends, takenOver bool
		want             map[string]string
	}{
		"the same again sends nothing": {
			second: map[string]string{"a": "1"}, want: map[string]string{"a": "1"},
		},
		"another value": {
			second: map[string]string{"a": "2"}, sends: true, want: map[string]string{"a": "2"},
		},
		"a field that is no longer wanted goes": {
			second: map[string]string{"b": "1"}, sends: true, want: map[string]string{"b": "1"},
		},
		"what somebody else adds stays": {
			edit:   func(m *corev1.ConfigMap) { m.Data["theirs"] = "x" },
			second: map[string]string{"a": "1"}, want: map[string]string{"a": "1", "theirs": "x"},
		},
		"what somebody else changes is set right": {
			edit:   func(m *corev1.ConfigMap) { m.Data["a"] = "x" },
			second: map[string]string{"a": "1"}, sends: true, takenOver: true, want: map[string]string{"a": "1"},
		},
		"what somebody else removes comes back": {
			edit:   func(m *corev1.ConfigMap) { delete(m.Data, "a") },
			second: map[string]string{"a": "1"}, sends: true, want: map[string]string{"a": "1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			namespace := kubetest.Namespace(t, direct)
			build := func(data map[string]string) *coreac.ConfigMapApplyConfiguration {
				return coreac.ConfigMap("m", namespace).WithData(data)
			}
			if sent, err := w.Apply(ctx, nil, build(map[string]string{"a": "1"})); err != nil || !sent {
				t.Fatalf("making it: %t, %v", sent, err)
			}
			live := &corev1.ConfigMap{}
			read := func() {
				if err := direct.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "m"}, live); err != nil {
					t.Fatal(err)
				}
			}
			read()
			if c.edit != nil {
				c.edit(live)
				if err := direct.Update(ctx, live, client.FieldOwner("somebody")); err != nil {
					t.Fatal(err)
				}
				read()
			}
			if takenOver, err := w.TakenOver(live, build(c.second)); err != nil || takenOver != c.takenOver {
				t.Errorf("taken over: %t, %v", takenOver, err)
			}
			if sent, err := w.Apply(ctx, live, build(c.second)); err != nil || sent != c.sends {
				t.Errorf("sent: %t, %v", sent, err)
			}
			live = &corev1.ConfigMap{}
			read()
			if len(live.Data) != len(c.want) {
				t.Errorf("got %v, want %v", live.Data, c.want)
			}
			for key, value := range c.want {
				if live.Data[key] != value {
					t.Errorf("got %v, want %v", live.Data, c.want)
				}
			}
		})
	}
}

func TestCreateLeavesWhatIsThere(t *testing.T) {
	direct, err := client.New(server.Config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	w, namespace := NewWriter(direct), kubetest.Namespace(t, direct)
	object := func(value string) *corev1.ConfigMap {
		m := &corev1.ConfigMap{Data: map[string]string{"a": value}}
		m.Namespace, m.Name = namespace, "m"
		return m
	}
	for _, value := range []string{"first", "second"} {
		if err := w.Create(t.Context(), object(value)); err != nil {
			t.Fatal(err)
		}
	}
	live := &corev1.ConfigMap{}
	if err := direct.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "m"}, live); err != nil {
		t.Fatal(err)
	}
	if live.Data["a"] != "first" {
		t.Errorf("the object was overwritten: %v", live.Data)
	}
}
