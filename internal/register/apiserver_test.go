//go:build apiserver

package register_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/myuser/db-operator/internal/kubetest"
	"github.com/myuser/db-operator/internal/pod"
	"github.com/myuser/db-operator/internal/register"
	"github.com/myuser/db-operator/internal/register/registertest"
)

var server *kubetest.Server

func TestMain(m *testing.M) {
	os.Exit(kubetest.Run(m, func(s *kubetest.Server) { server = s }))
}

// The fake API server of the other tests does what the real one does.
func TestConformanceOfTheAPIServer(t *testing.T) {
	admin, err := client.New(server.Config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	registertest.Conformance(t, func(t *testing.T) registertest.World {
		namespace := kubetest.Namespace(t, admin)
		object := func() *coordinationv1.Lease {
			return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "orders-ha"}}
		}
		return registertest.World{
			Register: register.NewLease(asServiceAccount(t, admin, namespace), namespace, "orders-ha", "orders-0"),
			Create: func(bootstrap string) {
				lease := object()
				if bootstrap != "" {
					lease.Annotations = map[string]string{pod.BootstrapAnnotation: bootstrap}
				}
				if err := admin.Create(t.Context(), lease); err != nil {
					t.Fatal(err)
				}
			},
			Delete: func() {
				if err := admin.Delete(t.Context(), object()); err != nil {
					t.Fatal(err)
				}
			},
		}
	})
}

// asServiceAccount is the client of a pod whose account may do with the
// register what an agent may: read and replace it.
func asServiceAccount(t *testing.T, admin client.Client, namespace string) *register.Client {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "agent"}
	account := &corev1.ServiceAccount{ObjectMeta: meta}
	for _, object := range []client.Object{
		account,
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
			APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, ResourceNames: []string{"orders-ha"}, Verbs: []string{"get", "update"}}}},
		&rbacv1.RoleBinding{ObjectMeta: meta,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "agent"},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "agent"}}},
	} {
		if err := admin.Create(t.Context(), object); err != nil {
			t.Fatal(err)
		}
	}
	token := &authenticationv1.TokenRequest{}
	if err := admin.SubResource("token").Create(t.Context(), account, token); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &register.Client{URL: strings.TrimSuffix(server.Config.Host, "/"), CAFile: filepath.Join(dir, "ca.crt"), TokenFile: filepath.Join(dir, "token")}
	put(t, c.CAFile, string(server.Config.CAData))
	put(t, c.TokenFile, token.Status.Token)
	return c
}
