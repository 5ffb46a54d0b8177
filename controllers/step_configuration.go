package controllers

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pod"
)

// configuration keeps the document for the agents.
func (r *DatabaseReconciler) configuration(ctx context.Context, s *scope) error {
	want := s.in.Config(s.in.Spec(len(s.families)))
	wrote, err := r.apply(ctx, orNil(s.config), want)
	if err != nil || !wrote {
		return err
	}
	s.config = &corev1.ConfigMap{}
	s.wroteMounts = true
	return fromApply(want, s.config)
}

// mounts tells kubelet about new content: it looks into a pod's mounts at once
// when the pod's annotations change, and otherwise once a minute. Nothing is
// written to members that have the content already, as a new pod has.
func (r *DatabaseReconciler) mounts(ctx context.Context, s *scope) error {
	if s.config == nil || s.tls == nil || s.app == nil || s.admin == nil {
		return nil
	}
	s.mounted = agentapi.HashFiles([]byte(s.config.Data[pod.SpecFile]), s.tls.Data, s.app.Data, s.admin.Data)
	if s.wroteMounts {
		return nil // kubelet's own watch comes first; the next pass is near
	}
	for ordinal, agent := range s.agents {
		member := s.pods[ordinal]
		if agent == nil || agent.ConfigHash == s.mounted || member == nil || member.Annotations[pod.ConfigAnnotation] == s.mounted {
			continue
		}
		want := coreac.Pod(member.Name, member.Namespace).WithUID(member.UID).
			WithAnnotations(map[string]string{pod.ConfigAnnotation: s.mounted})
		if _, err := r.apply(ctx, member, want); err != nil {
			return fmt.Errorf("telling the node of %s: %w", member.Name, err)
		}
	}
	return nil
}
