package controllers

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/kube"
)

const (
	// underWay is how soon a Database is looked at again while something is
	// expected to happen that no watch tells.
	underWay = 5 * time.Second
	// refreshed is how soon after a change of the mounts kubelet is told: its
	// own watch must have brought it the new content first.
	refreshed = time.Second
	// recheck is for what nobody tells of a settled Database, such as a
	// deleted Secret.
	recheck = 12 * time.Hour
)

// DatabaseReconciler brings Databases to the state that their specs ask for.
type DatabaseReconciler struct {
	// Client reads from caches filtered by our labels; Live asks the API
	// server.
	Client client.Client
	Live   client.Reader
	Events events.EventRecorder
	Agents Agents
	// Profiles by the value of spec.engine.
	Profiles map[dbv1.Engine]engine.Profile
	Settings desired.Settings
	// PullSecrets of Namespace, the operator's own, are copied to Databases.
	Namespace   string
	PullSecrets []string
	Now         func() time.Time

	writer *kube.Writer
	watch  *agentWatch
	posted postedTransitions
	// written are the statuses that the cache may not have yet.
	written writtenStatuses
}

// step is one independent part of a pass.
type step struct {
	name string
	do   func(context.Context, *scope) error
	// anyway: also while the spec is refused, because what it does keeps a
	// running Database alive and changes nothing that the spec asks for.
	anyway bool
}

// steps in the order in which a new member needs what they make: the pod takes
// longest, so that everything it can start without comes after it.
func (r *DatabaseReconciler) steps() []step {
	return []step{
		{"credentials", r.credentials, true},
		{"asking the members", r.members, true},
		{"transitions", r.transitions, true},
		{"storage", r.storage, true},
		{"service", r.readWriteService, false},
		{"account", r.serviceAccount, false},
		{"configuration", r.configuration, false},
		{"register", r.registers, true},
		{"statefulset", r.statefulSet, false},
		{"other services", r.otherServices, false},
		{"endpoints", r.endpoints, true},
		{"rights", r.rights, false},
		{"budget", r.budgets, false},
		{"mounts", r.mounts, true},
		{"rollout", r.rollout, false},
	}
}

// Reconcile is one pass over one Database.
func (r *DatabaseReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	db, err := r.read(ctx, request.NamespacedName)
	if err != nil {
		r.watch.forget(request.NamespacedName)
		r.written.forget(request.NamespacedName)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !db.DeletionTimestamp.IsZero() {
		r.watch.forget(request.NamespacedName)
		return ctrl.Result{}, r.report(ctx, db, deletingStatus(db, r.Now()))
	}
	s, err := r.observe(ctx, db)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observing: %w", err)
	}
	s.refusal = refuse(s)
	if len(s.leftover) == 0 && s.in.Profile != nil {
		for _, step := range r.steps() {
			if s.refusal.any() && !(step.anyway && s.deployed()) {
				continue
			}
			if err := step.do(ctx, s); err != nil {
				s.failures = append(s.failures, failure{step.name, err})
			}
		}
	}
	err = r.report(ctx, db, status(s))
	r.watch.set(request.NamespacedName, r.targets(s), s.agents[:])
	return ctrl.Result{RequeueAfter: s.again()}, errors.Join(err, s.unexpected())
}

// again is when to look without being told.
func (s *scope) again() time.Duration {
	soonest := recheck
	if !s.renewal.IsZero() {
		soonest = min(soonest, max(underWay, s.renewal.Sub(s.now)))
	}
	switch {
	case s.wroteMounts && s.deployed():
		return refreshed
	case s.refusal.any() && !s.deployed() && len(s.leftover) == 0 && s.refusal.reason != dbv1.ReasonNameConflict:
		return soonest // only an edit helps
	case !s.settled():
		return underWay
	default:
		return soonest
	}
}

// unexpected joins the failures that status does not explain to users: these
// are retried with growing pauses and logged.
func (s *scope) unexpected() error {
	var all []error
	for _, f := range s.failures {
		// Where the namespace goes, everything in it goes too.
		if !explained(f.err).any() && !apierrors.HasStatusCause(f.err, corev1.NamespaceTerminatingCause) {
			all = append(all, fmt.Errorf("%s: %w", f.step, f.err))
		}
	}
	return errors.Join(all...)
}
