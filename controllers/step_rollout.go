package controllers

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/myuser/db-operator/internal/agentapi"
)

// rollout replaces pods of an older template and has engines restarted for
// parameters that need it, one member at a time. Of a single member there is
// no other to lead meanwhile: it is away for as long as its engine takes.
func (r *DatabaseReconciler) rollout(ctx context.Context, s *scope) error {
	var all []error
	for ordinal, pod := range s.pods {
		if pod == nil || !s.member(ordinal) {
			continue
		}
		agent := s.agents[ordinal]
		switch {
		case pod.DeletionTimestamp != nil:
			s.replacing = append(s.replacing, pod.Name)
		case outdated(s.set, pod):
			s.replacing = append(s.replacing, pod.Name)
			r.emit(s.db, replacingPod(pod.Name))
			all = append(all, r.writer.DeletePod(ctx, pod))
		case agent != nil && len(agent.PendingRestart) > 0 && agent.SpecGeneration == s.db.Generation:
			s.restarting = append(s.restarting, pod.Name)
			all = append(all, r.restart(ctx, s, ordinal, agent))
		}
	}
	return errors.Join(all...)
}

func (r *DatabaseReconciler) restart(ctx context.Context, s *scope, ordinal int, agent *agentapi.Status) error {
	target, ok := r.target(s, ordinal)
	if !ok {
		return nil
	}
	if err := r.Agents.Restart(ctx, target, agentapi.Restart{Generation: s.db.Generation}); err != nil {
		return fmt.Errorf("restarting the engine of %s: %w", target.Pod, err)
	}
	r.emit(s.db, restartingEngine(target.Pod, agent.PendingRestart))
	return nil
}

// outdated tells whether the pod was made from an older template. While the
// StatefulSet's controller has not seen the newest one, nothing is known.
func outdated(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	if set == nil || set.Status.ObservedGeneration < set.Generation || set.Status.UpdateRevision == "" {
		return false
	}
	return pod.Labels[appsv1.StatefulSetRevisionLabel] != set.Status.UpdateRevision
}
