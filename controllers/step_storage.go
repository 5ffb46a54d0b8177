package controllers

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/myuser/db-operator/internal/desired"
)

// storage grows the claims and remembers with the data what must outlive the
// Database. It looks at no member's health: a full disk is cured here.
func (r *DatabaseReconciler) storage(ctx context.Context, s *scope) error {
	var all []error
	for ordinal, claim := range s.claims {
		if claim == nil {
			continue
		}
		kept := desired.Kept{
			Version: s.db.Spec.Version,
			Posted:  r.posted.get(claim),
			Cluster: claim.Annotations[desired.ClusterAnnotation],
		}
		if s.refusal.any() {
			kept.Version = claim.Annotations[desired.VersionAnnotation]
		}
		if agent := s.agents[ordinal]; agent != nil && agent.Term > 0 {
			kept.Cluster = cmp.Or(agent.ClusterUID, kept.Cluster)
		}
		want := s.in.Claim(ordinal, s.claimSize(claim), kept)
		if _, err := r.apply(ctx, claim, want); err != nil {
			all = append(all, fmt.Errorf("claim %s: %w", claim.Name, err))
		}
	}
	return errors.Join(all...)
}

// claimSize is what to ask for. Kubernetes lets an unbound claim alone, and
// takes a growth back only to a size above what the volume has.
func (s *scope) claimSize(claim *corev1.PersistentVolumeClaim) resource.Quantity {
	asked := *claim.Spec.Resources.Requests.Storage()
	want, err := resource.ParseQuantity(s.db.Spec.Storage)
	if err != nil || s.refusal.any() || claim.Status.Phase != corev1.ClaimBound {
		return asked
	}
	if want.Cmp(asked) < 0 && want.Cmp(*claim.Status.Capacity.Storage()) <= 0 {
		return asked
	}
	return want
}

// resizing names the claims whose volumes are smaller than what is asked for.
func (s *scope) resizing() []string {
	want, err := resource.ParseQuantity(s.db.Spec.Storage)
	if err != nil || s.refusal.any() || s.notTaken().any() {
		return nil
	}
	var names []string
	for ordinal, claim := range s.claims {
		if s.member(ordinal) && claim != nil && claim.Status.Phase == corev1.ClaimBound && claim.Status.Capacity.Storage().Cmp(want) < 0 {
			names = append(names, claim.Name)
		}
	}
	return names
}
