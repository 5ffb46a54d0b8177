package controllers

import (
	"context"
	"errors"
)

// rights gives the agents their account and what it may do.
func (r *DatabaseReconciler) rights(ctx context.Context, s *scope) error {
	_, account := r.apply(ctx, orNil(s.account), s.in.ServiceAccount())
	_, role := r.apply(ctx, orNil(s.role), s.in.Role())
	_, binding := r.apply(ctx, orNil(s.binding), s.in.RoleBinding())
	return errors.Join(account, role, binding)
}
