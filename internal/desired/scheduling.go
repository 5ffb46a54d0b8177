package desired

import (
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// schedule says on which nodes the members run.
func (in Input) schedule(spec *coreac.PodSpecApplyConfiguration) error {
	wanted := in.Database.Spec.Scheduling
	if err := in.affinity(wanted, spec); err != nil {
		return err
	}
	if len(wanted.NodeSelector) > 0 {
		spec.WithNodeSelector(dbv1.Plain(wanted.NodeSelector))
	}
	if wanted.PriorityClassName != "" {
		spec.WithPriorityClassName(wanted.PriorityClassName)
	}
	for _, toleration := range wanted.Tolerations {
		converted := new(coreac.TolerationApplyConfiguration)
		if err := convert(toleration, converted); err != nil {
			return err
		}
		spec.WithTolerations(converted)
	}
	for _, constraint := range wanted.TopologySpreadConstraints {
		converted := new(coreac.TopologySpreadConstraintApplyConfiguration)
		if err := convert(constraint, converted); err != nil {
			return err
		}
		if converted.LabelSelector == nil {
			converted.WithLabelSelector(metaac.LabelSelector().WithMatchLabels(in.Selector()))
		}
		spec.WithTopologySpreadConstraints(converted)
	}
	return nil
}

func (in Input) affinity(wanted dbv1.Scheduling, spec *coreac.PodSpecApplyConfiguration) error {
	affinity, err := wanted.PodAffinity()
	if err != nil {
		return err
	}
	if affinity != nil {
		converted := new(coreac.AffinityApplyConfiguration)
		if err := convert(affinity, converted); err != nil {
			return err
		}
		spec.WithAffinity(converted)
		return nil
	}
	// Preferred, not required: two members on one node are better than one.
	spec.WithAffinity(coreac.Affinity().WithPodAntiAffinity(coreac.PodAntiAffinity().
		WithPreferredDuringSchedulingIgnoredDuringExecution(coreac.WeightedPodAffinityTerm().
			WithWeight(100).
			WithPodAffinityTerm(coreac.PodAffinityTerm().
				WithTopologyKey(corev1.LabelHostname).
				WithLabelSelector(metaac.LabelSelector().WithMatchLabels(in.Selector()))))))
	return nil
}

// convert goes through JSON, which both forms of a type share.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, to)
	}
	if err != nil {
		return fmt.Errorf("reading spec.scheduling: %w", err)
	}
	return nil
}
