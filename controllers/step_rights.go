package controllers

import (
	"context"
	"errors"
)

// serviceAccount gives the agents their account, without which no pod is let in.
func (r *DatabaseReconciler) serviceAccount(ctx context.Context, s *scope) error {
	_, err := r.apply(ctx, orNil(s.account), s.in.ServiceAccount())
	return err
}

// rights are what the account may do.
func (r *DatabaseReconciler) rights(ctx context.Context, s *scope) error {
	_, role := r.apply(ctx, orNil(s.role), s.in.Role())
	_, binding := r.apply(ctx, orNil(s.binding), s.in.RoleBinding())
	return errors.Join(role, binding)
}
