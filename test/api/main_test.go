//go:build apiserver

package api

import (
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/kubetest"
)

var (
	server *kubetest.Server
	kube   client.Client
)

func TestMain(m *testing.M) {
	os.Exit(kubetest.Run(m, func(s *kubetest.Server) {
		scheme := runtime.NewScheme()
		utilruntime.Must(clientscheme.AddToScheme(scheme))
		utilruntime.Must(v1.AddToScheme(scheme))
		c, err := client.New(s.Config, client.Options{Scheme: scheme})
		utilruntime.Must(err)
		server, kube = s, c
	}))
}
