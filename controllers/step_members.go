package controllers

import (
	"context"
	"sync"

	"github.com/myuser/db-operator/internal/desired"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// members asks the agents. One that does not answer is no failure: the pod's
// own readiness, which kubelet tells, is what is known of it then.
func (r *DatabaseReconciler) members(ctx context.Context, s *scope) error {
	var asked sync.WaitGroup
	for ordinal := range desired.MaxMembers {
		target, ok := r.target(s, ordinal)
		if !ok {
			continue
		}
		asked.Go(func() {
			answer, err := r.Agents.Status(ctx, target)
			if err != nil {
				log.FromContext(ctx).V(1).Info("an agent does not answer", "pod", target.Pod, "reason", err.Error())
				return
			}
			s.agents[ordinal] = &answer
		})
	}
	asked.Wait()
	return nil
}

// target of a member that can be asked.
func (r *DatabaseReconciler) target(s *scope, ordinal int) (Target, bool) {
	pod := s.pods[ordinal]
	if pod == nil || pod.Status.PodIP == "" || s.pair == nil {
		return Target{}, false
	}
	return Target{
		Pod:       pod.Name,
		Address:   pod.Status.PodIP,
		Host:      s.names.PodHost(s.db.Namespace, ordinal),
		Authority: *s.pair,
	}, true
}

// targets are those of all members, by ordinal.
func (r *DatabaseReconciler) targets(s *scope) map[int]Target {
	all := map[int]Target{}
	for ordinal := range desired.MaxMembers {
		if target, ok := r.target(s, ordinal); ok {
			all[ordinal] = target
		}
	}
	return all
}
