package controllers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
)

// observe looks at everything that has a name of this Database. An error means
// that something could not be seen; then nothing may be concluded.
func (r *DatabaseReconciler) observe(ctx context.Context, db *dbv1.Database) (*scope, error) {
	s := &scope{
		db:     db,
		in:     desired.Input{Database: db, Profile: r.Profiles[db.Spec.Engine], Settings: r.Settings},
		names:  desired.Names(db.Name),
		now:    r.Now(),
		slices: map[string]*discoveryv1.EndpointSlice{},
	}
	look := looker{reconciler: r, scope: s}
	s.account = see(ctx, &look, "ServiceAccount", s.names.Agent(), &corev1.ServiceAccount{})
	s.role = see(ctx, &look, "Role", s.names.Agent(), &rbacv1.Role{})
	s.binding = see(ctx, &look, "RoleBinding", s.names.Agent(), &rbacv1.RoleBinding{})
	s.readWrite = see(ctx, &look, "Service", s.names.ReadWrite(), &corev1.Service{})
	s.readOnly = see(ctx, &look, "Service", s.names.ReadOnly(), &corev1.Service{})
	s.headless = see(ctx, &look, "Service", s.names.Members(), &corev1.Service{})
	s.register = see(ctx, &look, "Lease", s.names.Register(), &coordinationv1.Lease{})
	s.config = see(ctx, &look, "ConfigMap", s.names.Config(), &corev1.ConfigMap{})
	s.budget = see(ctx, &look, "PodDisruptionBudget", s.names.Budget(), &policyv1.PodDisruptionBudget{})
	s.set = see(ctx, &look, "StatefulSet", s.names.StatefulSet(), &appsv1.StatefulSet{})
	s.app = see(ctx, &look, "Secret", s.names.App(), &corev1.Secret{})
	s.admin = see(ctx, &look, "Secret", s.names.Admin(), &corev1.Secret{})
	s.ca = see(ctx, &look, "Secret", s.names.Authority(), &corev1.Secret{})
	s.tls = see(ctx, &look, "Secret", s.names.TLS(), &corev1.Secret{})
	if r.Settings.PullSecret {
		s.pull = see(ctx, &look, "Secret", s.names.Pull(), &corev1.Secret{})
	}
	if s.readWrite != nil {
		s.families = s.readWrite.Spec.IPFamilies
	}
	// The slices of a second family are looked for only where there is one.
	for family := range max(1, len(s.families)) {
		for _, readOnly := range []bool{false, true} {
			name := s.names.EndpointSlice(readOnly, family)
			if slice := see(ctx, &look, "EndpointSlice", name, &discoveryv1.EndpointSlice{}); slice != nil {
				s.slices[name] = slice
			}
		}
	}
	look.members(ctx)
	if look.err == nil {
		look.troubles(ctx)
	}
	return s, look.err
}

// looker reads objects until the first error.
type looker struct {
	reconciler *DatabaseReconciler
	scope      *scope
	err        error
}

// see reads one object and tells whose it is. What the cache does not have is
// asked of the API server too: it may be somebody else's, without our labels,
// or so new that the cache lags behind. In a settled Database nothing is
// missing, so this costs nothing then.
func see[T client.Object](ctx context.Context, l *looker, kind, name string, object T) (none T) {
	if l.err != nil {
		return none
	}
	found, err := l.reconciler.get(ctx, l.scope.db.Namespace, name, object)
	switch {
	case err != nil:
		l.err = fmt.Errorf("reading %s %s: %w", kind, name, err)
		return none
	case !found:
		return none
	}
	switch owner := metav1.GetControllerOf(object); {
	case metav1.IsControlledBy(object, l.scope.db):
		return object
	case owner != nil && owner.Kind == "Database" && owner.APIVersion == dbv1.GroupVersion.String() && owner.Name == l.scope.db.Name:
		l.scope.leftover = append(l.scope.leftover, kind+" "+name)
	default:
		l.scope.taken = append(l.scope.taken, kind+" "+name)
	}
	return none
}

// get reads from the cache, then from the API server.
func (r *DatabaseReconciler) get(ctx context.Context, namespace, name string, object client.Object) (bool, error) {
	key := client.ObjectKey{Namespace: namespace, Name: name}
	err := r.Client.Get(ctx, key, object)
	if _, secret := object.(*corev1.Secret); apierrors.IsNotFound(err) && !secret { // Secrets are not cached
		err = r.Live.Get(ctx, key, object)
	}
	return err == nil, client.IgnoreNotFound(err)
}

// members reads claims and pods. Claims belong to no one, and pods to the
// StatefulSet.
func (l *looker) members(ctx context.Context) {
	s := l.scope
	for ordinal := range s.claims {
		if l.err != nil {
			return
		}
		claim := &corev1.PersistentVolumeClaim{}
		name := s.names.Claim(ordinal)
		// Before there is a StatefulSet the claim decides whether the volume
		// counts as new, and after it only the cache's claims matter.
		read := l.reconciler.Client.Get
		if s.set == nil && s.member(ordinal) {
			read = l.reconciler.Live.Get
		}
		err := read(ctx, client.ObjectKey{Namespace: s.db.Namespace, Name: name}, claim)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			l.err = fmt.Errorf("reading claim %s: %w", name, err)
		case claim.Labels[desired.DatabaseLabel] != s.db.Name:
			s.taken = append(s.taken, "PersistentVolumeClaim "+name)
		default:
			s.claims[ordinal] = claim
		}
	}
	for ordinal := range s.pods {
		if l.err != nil || s.set == nil {
			return
		}
		pod := &corev1.Pod{}
		err := l.reconciler.Client.Get(ctx, client.ObjectKey{Namespace: s.db.Namespace, Name: s.names.Pod(ordinal)}, pod)
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			l.err = fmt.Errorf("reading pod %s: %w", s.names.Pod(ordinal), err)
		case metav1.IsControlledBy(pod, s.set):
			s.pods[ordinal] = pod
		}
	}
}

// troubles asks for events where a member does not start: a refused pod, a
// volume that cannot be provisioned or attached, or a registry that does not
// answer shows nowhere else.
func (l *looker) troubles(ctx context.Context) {
	s := l.scope
	for ordinal := range int(desired.Members) {
		member := s.pods[ordinal]
		if s.set == nil {
			continue
		}
		if member != nil && member.Spec.NodeName != "" {
			if member.Status.Phase == corev1.PodPending && s.now.Sub(member.CreationTimestamp.Time) > starting {
				l.eventsOf(ctx, member)
			}
			continue
		}
		l.eventsOf(ctx, s.set)
		if claim := s.claims[ordinal]; claim != nil && claim.Status.Phase != corev1.ClaimBound {
			l.eventsOf(ctx, claim)
		}
	}
	sort.SliceStable(s.events, func(i, j int) bool { return lastSeen(s.events[i]).After(lastSeen(s.events[j]).Time) })
}

func (l *looker) eventsOf(ctx context.Context, object client.Object) {
	var found corev1.EventList
	err := l.reconciler.Live.List(ctx, &found, client.InNamespace(object.GetNamespace()),
		client.MatchingFieldsSelector{Selector: fields.OneTermEqualSelector("involvedObject.uid", string(object.GetUID()))})
	if err != nil {
		l.err = cmp.Or(l.err, fmt.Errorf("listing events of %s: %w", object.GetName(), err))
		return
	}
	l.scope.events = slices.Concat(l.scope.events, found.Items)
}

// lastSeen is the newest time that an event carries; which of its fields are
// set depends on who wrote it.
func lastSeen(event corev1.Event) metav1.Time {
	newest := event.CreationTimestamp
	if event.LastTimestamp.After(newest.Time) {
		newest = event.LastTimestamp
	}
	if event.EventTime.After(newest.Time) {
		newest = metav1.NewTime(event.EventTime.Time)
	}
	if event.Series != nil && event.Series.LastObservedTime.After(newest.Time) {
		newest = metav1.NewTime(event.Series.LastObservedTime.Time)
	}
	return newest
}
