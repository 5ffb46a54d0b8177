package controllers

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/kube"
)

// atOnce is how many Databases have a pass at the same time. Most of a pass is
// waiting.
const atOnce = 8

// retryMost bounds the pause after passes that failed in a row: what was in
// the way may be gone at any time, and no watch tells.
const retryMost = time.Minute

// retries grow from milliseconds, each of the Databases by itself.
func retries() workqueue.TypedRateLimiter[reconcile.Request] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](5*time.Millisecond, retryMost)
}

// Caches hold Databases, and of all other kinds only what bears our label.
func Caches(namespaces []string) cache.Options {
	options := cache.Options{
		DefaultLabelSelector: labels.SelectorFromSet(labels.Set{desired.ManagedByLabel: desired.ManagedBy}),
		ByObject:             map[client.Object]cache.ByObject{&dbv1.Database{}: {Label: labels.Everything()}},
	}
	if len(namespaces) > 0 {
		options.DefaultNamespaces = map[string]cache.Config{}
		for _, namespace := range namespaces {
			options.DefaultNamespaces[namespace] = cache.Config{}
		}
	}
	return options
}

// Uncached are the kinds that are read through the API server by name, and
// never listed or watched.
func Uncached() []client.Object { return []client.Object{&corev1.Secret{}, &corev1.Event{}} }

// SetupWithManager registers the controller and the watch over the agents. It
// is called once, before the manager starts.
func (r *DatabaseReconciler) SetupWithManager(mgr ctrl.Manager) error {
	r.prepare()
	if err := mgr.Add(r.watch); err != nil {
		return fmt.Errorf("adding the watch over agents: %w", err)
	}
	control := ctrl.NewControllerManagedBy(mgr).
		// Our own status writes are no news.
		For(&dbv1.Database{}, builder.WithPredicates(predicate.Or(
			predicate.GenerationChangedPredicate{}, predicate.AnnotationChangedPredicate{}))).
		Watches(&corev1.Pod{}, handler.EnqueueRequestsFromMapFunc(byLabel)).
		Watches(&corev1.PersistentVolumeClaim{}, handler.EnqueueRequestsFromMapFunc(byLabel)).
		WatchesRawSource(source.Channel(r.watch.changed, &handler.TypedEnqueueRequestForObject[*dbv1.Database]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: atOnce, RateLimiter: retries()})
	for _, owned := range []client.Object{
		&corev1.ServiceAccount{}, &rbacv1.Role{}, &rbacv1.RoleBinding{},
		&corev1.Service{}, &coordinationv1.Lease{},
		&corev1.ConfigMap{}, &policyv1.PodDisruptionBudget{}, &appsv1.StatefulSet{},
	} {
		control = control.Owns(owned)
	}
	// What the agents write into their slices is no business of ours; that of a
	// new primary shows in the register.
	control = control.Owns(&discoveryv1.EndpointSlice{}, builder.WithPredicates(predicate.Funcs{
		UpdateFunc: func(event.UpdateEvent) bool { return false }}))
	if err := control.Complete(r); err != nil {
		return fmt.Errorf("setting up the controller of Databases: %w", err)
	}
	return nil
}

// prepare makes what belongs to the reconciler itself.
func (r *DatabaseReconciler) prepare() {
	r.writer = kube.NewWriter(r.Client)
	r.watch = newAgentWatch(r.Agents)
}

// byLabel finds the Database of a pod or a claim, which it does not own.
func byLabel(_ context.Context, object client.Object) []reconcile.Request {
	name := object.GetLabels()[desired.DatabaseLabel]
	if name == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: object.GetNamespace(), Name: name}}}
}
