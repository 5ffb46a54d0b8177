package controllers

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
)

// readWriteService keeps the Service that clients use. Its address families,
// which the API server chooses, are known from then on.
func (r *DatabaseReconciler) readWriteService(ctx context.Context, s *scope) error {
	published := s.in.ReadWriteService()
	wrote, err := r.service(ctx, s.readWrite, published)
	if err != nil || !wrote {
		return err
	}
	s.readWrite = &corev1.Service{}
	if err := fromApply(published, s.readWrite); err != nil {
		return err
	}
	s.families = s.readWrite.Spec.IPFamilies
	return nil
}

// otherServices keeps those for reading and for the members' names.
func (r *DatabaseReconciler) otherServices(ctx context.Context, s *scope) error {
	_, readOnly := r.service(ctx, s.readOnly, s.in.ReadOnlyService())
	_, headless := r.service(ctx, s.headless, s.in.MembersService())
	return errors.Join(readOnly, headless)
}

// service applies one. Its ports are known by their numbers: where somebody has
// changed one, apply would add ours beside it, and be refused for the name that
// both have.
func (r *DatabaseReconciler) service(ctx context.Context, live *corev1.Service, want *coreac.ServiceApplyConfiguration) (bool, error) {
	if live != nil {
		if ports, edited := renumbered(live.Spec.Ports, want.Spec.Ports); edited {
			after := live.DeepCopy()
			after.Spec.Ports = ports
			if err := r.writer.Merge(ctx, live, after); err != nil {
				return false, err
			}
		}
	}
	return r.apply(ctx, orNil(live), want)
}

// renumbered gives ports that bear a name of ours their numbers again, and
// leaves all else of them. It is pure.
func renumbered(live []corev1.ServicePort, want []coreac.ServicePortApplyConfiguration) (ports []corev1.ServicePort, edited bool) {
	ports = slices.Clone(live)
	for _, w := range want {
		ours := func(p corev1.ServicePort) bool { return p.Port == *w.Port && p.Protocol == *w.Protocol }
		i := slices.IndexFunc(ports, func(p corev1.ServicePort) bool { return p.Name == *w.Name && !ours(p) })
		switch {
		case i < 0:
			continue
		case slices.ContainsFunc(ports, ours): // under another name
			ports = slices.Delete(ports, i, i+1)
		default:
			ports[i].Port, ports[i].Protocol = *w.Port, *w.Protocol
		}
		edited = true
	}
	return ports, edited
}

// budgets keeps the PodDisruptionBudget.
func (r *DatabaseReconciler) budgets(ctx context.Context, s *scope) error {
	_, err := r.apply(ctx, orNil(s.budget), s.in.Budget())
	return err
}
