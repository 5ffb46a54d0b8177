package controllers

import (
	"context"
	"errors"

	"sigs.k8s.io/controller-runtime/pkg/log"
)

// endpoints makes the EndpointSlices that are missing. Those that exist belong
// to the agents, and are not even compared.
func (r *DatabaseReconciler) endpoints(ctx context.Context, s *scope) error {
	var all []error
	for _, slice := range s.in.EndpointSlices(s.families) {
		if s.slices[slice.Name] == nil {
			all = append(all, r.writer.Create(ctx, slice))
		}
	}
	return errors.Join(all...)
}

// registers makes the Lease if it is missing. Its mark for the first start is
// given only to a Database that cannot have data: one that has been
// initialised finds its way back from what its members know.
func (r *DatabaseReconciler) registers(ctx context.Context, s *scope) error {
	if s.register != nil {
		return nil
	}
	if s.initialised() {
		log.FromContext(ctx).Info("recreating the register, without the mark for a first start", "lease", s.names.Register())
	}
	register := s.in.Register(!s.initialised())
	if err := r.writer.Create(ctx, register); err != nil {
		return err
	}
	s.register = register
	return nil
}
