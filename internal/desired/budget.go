package desired

import (
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"
	policyac "k8s.io/client-go/applyconfigurations/policy/v1"
)

// Budget lets one member go at a time, at every size, and a broken one at any
// time: a drain never hangs on a Database.
func (in Input) Budget() *policyac.PodDisruptionBudgetApplyConfiguration {
	return policyac.PodDisruptionBudget(in.names().Budget(), in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithSpec(policyac.PodDisruptionBudgetSpec().
			WithMaxUnavailable(intstr.FromInt32(1)).
			WithUnhealthyPodEvictionPolicy(policyv1.AlwaysAllow).
			WithSelector(metaac.LabelSelector().WithMatchLabels(in.Selector())))
}
