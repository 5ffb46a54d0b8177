package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// namespace holds everything the benches make.
const namespace = "bench"

// cluster is the API server under measurement and the tool it was started with.
type cluster struct {
	client.Client
	tool string
}

func connect() (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", cmp.Or(os.Getenv("KUBECONFIG"), "/var/lib/devcluster/kubeconfig"))
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS = -1
	scheme := runtime.NewScheme()
	if err := clientscheme.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := dbv1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("connecting to the cluster: %w", err)
	}
	return &cluster{Client: c, tool: cmp.Or(os.Getenv("DEVCLUSTER"), "bin/devcluster")}, nil
}

// inNamespace runs do with an empty namespace and removes it afterwards.
func (c *cluster) inNamespace(ctx context.Context, do func() error) error {
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if err := c.Create(ctx, ns); err != nil {
		return fmt.Errorf("making namespace %s: %w", namespace, err)
	}
	err := do()
	// The namespace goes also after an interrupt.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Minute)
	defer cancel()
	if e := c.Delete(late, ns); e != nil && err == nil {
		err = fmt.Errorf("removing namespace %s: %w", namespace, e)
	}
	if e := poll(late, 2*time.Minute, "namespace "+namespace+" to be gone", func() (bool, error) {
		return apierrors.IsNotFound(c.Get(late, client.ObjectKeyFromObject(ns), ns)), nil
	}); e != nil && err == nil {
		err = e
	}
	return err
}

// poll asks until done, an error, or the limit.
func poll(ctx context.Context, limit time.Duration, what string, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if err != nil || ok {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waiting %s for %s: %w", limit, what, context.Cause(ctx))
		}
	}
}

// database is a small one-member Database.
func database(name string, e engineBench) *dbv1.Database {
	return &dbv1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec:       dbv1.DatabaseSpec{Engine: dbv1.Engine(e.name), Version: e.version, Storage: "1Gi", Parameters: e.small},
	}
}

// ready creates the Database and waits for condition Ready; it returns how long
// that took.
func (c *cluster) ready(ctx context.Context, db *dbv1.Database) (time.Duration, error) {
	if err := c.Create(ctx, db); err != nil {
		return 0, fmt.Errorf("creating %s: %w", db.Name, err)
	}
	start := time.Now()
	err := poll(ctx, 3*time.Minute, db.Name+" to be Ready", func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(db), db)
		return db.Status.Ready, err
	})
	return time.Since(start), err
}

// gone deletes the object and waits until it is no more.
func (c *cluster) gone(ctx context.Context, object client.Object) error {
	if err := c.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("deleting %s: %w", object.GetName(), err)
	}
	return poll(ctx, 90*time.Second, object.GetName()+" to be gone", func() (bool, error) {
		err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}
