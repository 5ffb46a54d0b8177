//go:build e2e

// Package e2e proves on the local cluster, with the real engines, what the
// README promises. Each test makes a namespace of its own with Pod Security
// "restricted" enforced and removes it at the end, also on failure.
package e2e

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// world is what every test needs to reach the cluster; TestMain fills it once.
var world struct {
	config     *rest.Config
	client     client.Client
	clientset  *kubernetes.Clientset
	devcluster string // path of the local cluster's tool
}

const operatorNamespace = "db-operator-system"

func TestMain(m *testing.M) {
	if err := connect(); err != nil {
		fmt.Fprintf(os.Stderr, "e2e: %v\nThe local cluster with the operator on it is needed: make test-e2e starts both.\n", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func connect() error {
	tool, err := filepath.Abs(cmp.Or(os.Getenv("DEVCLUSTER"), "../../bin/devcluster"))
	if err != nil {
		return err
	}
	if _, err := os.Stat(tool); err != nil {
		return fmt.Errorf("looking for the local cluster's tool: %w", err)
	}
	world.devcluster = tool
	world.config, err = clientcmd.BuildConfigFromFlags("", cmp.Or(os.Getenv("KUBECONFIG"), clusterDir+"/kubeconfig"))
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	world.config.QPS = -1
	scheme := runtime.NewScheme()
	if err := clientscheme.AddToScheme(scheme); err != nil {
		return err
	}
	if err := dbv1.AddToScheme(scheme); err != nil {
		return err
	}
	if world.client, err = client.New(world.config, client.Options{Scheme: scheme}); err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	if world.clientset, err = kubernetes.NewForConfig(world.config); err != nil {
		return fmt.Errorf("connecting to the cluster: %w", err)
	}
	_, err = operatorDeployment(context.Background())
	return err
}

func operatorDeployment(ctx context.Context) (*appsv1.Deployment, error) {
	all, err := world.clientset.AppsV1().Deployments(operatorNamespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("looking for the operator: %w", err)
	}
	if len(all.Items) != 1 {
		return nil, fmt.Errorf("looking for the operator: %d Deployments in %s, want 1", len(all.Items), operatorNamespace)
	}
	return &all.Items[0], nil
}

// devcluster runs a verb of the local cluster's tool and returns its output.
func devcluster(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), world.devcluster, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("devcluster %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// kubectl runs the cluster's kubectl as a person would.
func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	return devcluster(t, append([]string{"kubectl"}, args...)...)
}

// devclusterAlways is devcluster for clean-up: it does not end with the test.
func devclusterAlways(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command(world.devcluster, args...).CombinedOutput(); err != nil {
		t.Errorf("devcluster %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}
