package controllers

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"

	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/kube"
)

// statefulSet keeps the members' StatefulSet, and with it the pod template
// that runs: see desired.KeepTemplate.
func (r *DatabaseReconciler) statefulSet(ctx context.Context, s *scope) error {
	if s.set == nil && s.register == nil {
		// With the volume the register would lose its mark for a first start.
		return nil // why there is none was reported by its own step
	}
	want, err := s.in.StatefulSet()
	if err != nil {
		return err
	}
	if s.set != nil {
		owned, err := appsac.ExtractStatefulSet(s.set, kube.FieldManager)
		if err != nil {
			return fmt.Errorf("reading what was applied: %w", err)
		}
		takenOver, err := r.writer.TakenOver(s.set, want)
		if err != nil {
			return err
		}
		want = desired.KeepTemplate(want, owned, takenOver)
	}
	wrote, err := r.apply(ctx, orNil(s.set), want)
	if err != nil || !wrote {
		return err
	}
	s.set = &appsv1.StatefulSet{}
	return fromApply(want, s.set)
}
