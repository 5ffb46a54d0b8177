package v1

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"
)

// Scheduling says on which nodes the members run.
type Scheduling struct {
	// Labels that a node must have.
	// +optional
	// +kubebuilder:validation:MaxProperties=50
	// +kubebuilder:validation:XValidation:rule=`self.all(k, k.size() <= 317 && k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="a label's name is [<domain>/]<name>, the name being at most 63 letters, digits, -, _ and ., as in topology.kubernetes.io/zone"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`

	// Affinity of the pods, written as in a pod (kubectl explain
	// pod.spec.affinity). Without it the members prefer nodes that have no
	// other member of this Database.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	Affinity *runtime.RawExtension `json:"affinity,omitempty"`

	// Taints of nodes that the members tolerate.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// How the members spread over zones or other groups of nodes.
	// +optional
	// +listType=map
	// +listMapKey=topologyKey
	// +listMapKey=whenUnsatisfiable
	// +kubebuilder:validation:MaxItems=8
	TopologySpreadConstraints []TopologySpreadConstraint `json:"topologySpreadConstraints,omitempty"`

	// PriorityClass of the pods.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')`,message="write the name of a PriorityClass, as kubectl get priorityclass shows it: lower-case letters, digits, - and ."
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// PodAffinity reads Affinity, which the schema leaves free because its own
// schema is as long as all the rest. It returns nil where none is given, and
// an error that names the field where it is not what a pod accepts.
func (s Scheduling) PodAffinity() (*corev1.Affinity, error) {
	if s.Affinity == nil || len(s.Affinity.Raw) == 0 {
		return nil, nil
	}
	affinity := new(corev1.Affinity)
	strict, err := kjson.UnmarshalStrict(s.Affinity.Raw, affinity)
	if err == nil && len(strict) > 0 {
		err = strict[0]
	}
	if err != nil {
		return nil, fmt.Errorf("reading spec.scheduling.affinity: %w", err)
	}
	return affinity, nil
}

// Toleration lets the members run on nodes with a taint.
// ---
// It is corev1's type with shorter descriptions and the rules that a pod's own
// validation has; corev1.Toleration(t) converts.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.key) && self.key.size() > 0) || (has(self.operator) && self.operator == 'Exists')`,message="without a key, which means every taint, write operator: Exists"
// +kubebuilder:validation:XValidation:rule=`!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value.size() == 0`,message="operator Exists takes no value: remove the value, or write operator: Equal"
// +kubebuilder:validation:XValidation:rule=`!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')`,message="tolerationSeconds needs effect: NoExecute"
type Toleration struct {
	// Key of the taint. Without it, and with operator Exists, every taint is
	// tolerated.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key,omitempty"`

	// Exists tolerates every value; Equal, the default, the given one.
	// +optional
	// +kubebuilder:validation:Enum=Exists;Equal
	Operator corev1.TolerationOperator `json:"operator,omitempty"`

	// Value of the taint.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`

	// Effect of the taint. Without it every effect is tolerated.
	// +optional
	// +kubebuilder:validation:Enum=NoSchedule;PreferNoSchedule;NoExecute
	Effect corev1.TaintEffect `json:"effect,omitempty"`

	// How long a member stays on a node with a NoExecute taint. Without it, for
	// ever.
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}

// TopologySpreadConstraint spreads the members over groups of nodes.
// ---
// It is corev1's type with shorter descriptions and a pod's own rules;
// corev1.TopologySpreadConstraint(c) converts.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.minDomains) || self.whenUnsatisfiable == 'DoNotSchedule'`,message="minDomains needs whenUnsatisfiable: DoNotSchedule"
type TopologySpreadConstraint struct {
	// By how many members two groups may differ.
	// +required
	// +kubebuilder:validation:Minimum=1
	MaxSkew int32 `json:"maxSkew"`

	// Label of the nodes whose value makes the groups, such as
	// topology.kubernetes.io/zone.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=317
	TopologyKey string `json:"topologyKey"`

	// What happens to a member that cannot be placed so: DoNotSchedule lets it
	// wait, ScheduleAnyway places it as well as it can.
	// +required
	// +kubebuilder:validation:Enum=DoNotSchedule;ScheduleAnyway
	WhenUnsatisfiable corev1.UnsatisfiableConstraintAction `json:"whenUnsatisfiable"`

	// Which pods are counted. Without it, the members of this Database.
	// +optional
	LabelSelector *metav1.LabelSelector `json:"labelSelector,omitempty"`

	// How many groups there must be at least, with DoNotSchedule.
	// +optional
	// +kubebuilder:validation:Minimum=1
	MinDomains *int32 `json:"minDomains,omitempty"`

	// Whether only nodes that affinity and nodeSelector allow are counted.
	// Honor by default.
	// +optional
	// +kubebuilder:validation:Enum=Honor;Ignore
	NodeAffinityPolicy *corev1.NodeInclusionPolicy `json:"nodeAffinityPolicy,omitempty"`

	// Whether only nodes whose taints are tolerated are counted. Ignore by
	// default.
	// +optional
	// +kubebuilder:validation:Enum=Honor;Ignore
	NodeTaintsPolicy *corev1.NodeInclusionPolicy `json:"nodeTaintsPolicy,omitempty"`

	// Labels of the pods whose values are added to the labelSelector.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	MatchLabelKeys []string `json:"matchLabelKeys,omitempty"`
}

// Conversions that compile only while the types are equal field by field.
var (
	_ = corev1.Toleration(Toleration{})
	_ = corev1.TopologySpreadConstraint(TopologySpreadConstraint{})
)
