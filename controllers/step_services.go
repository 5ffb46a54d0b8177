package controllers

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
)

// services keeps the three Services. Their address families, which the API
// server chooses, are known from then on.
func (r *DatabaseReconciler) services(ctx context.Context, s *scope) error {
	published := s.in.ReadWriteService()
	wrote, readWrite := r.apply(ctx, orNil(s.readWrite), published)
	if readWrite == nil && wrote {
		s.readWrite = &corev1.Service{}
		if readWrite = fromApply(published, s.readWrite); readWrite == nil {
			s.families = s.readWrite.Spec.IPFamilies
		}
	}
	_, readOnly := r.apply(ctx, orNil(s.readOnly), s.in.ReadOnlyService())
	_, headless := r.apply(ctx, orNil(s.headless), s.in.MembersService())
	return errors.Join(readWrite, readOnly, headless)
}

// budgets keeps the PodDisruptionBudget.
func (r *DatabaseReconciler) budgets(ctx context.Context, s *scope) error {
	_, err := r.apply(ctx, orNil(s.budget), s.in.Budget())
	return err
}
