package v1

import corev1 "k8s.io/api/core/v1"

// Service says how the Services of a Database are published.
type Service struct {
	// ClusterIP serves inside the cluster; NodePort and LoadBalancer serve
	// outside of it too.
	// +optional
	// +kubebuilder:default="ClusterIP"
	// +kubebuilder:validation:Enum=ClusterIP;NodePort;LoadBalancer
	Type corev1.ServiceType `json:"type,omitempty"`

	// Annotations that are added to the two Services, for load balancers and
	// external DNS.
	// +optional
	// +kubebuilder:validation:MaxProperties=50
	// +kubebuilder:validation:XValidation:rule=`self.all(k, k.size() <= 317 && k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="an annotation's name is [<domain>/]<name>, the name being at most 63 letters, digits, -, _ and ., as in external-dns.alpha.kubernetes.io/hostname"
	// +kubebuilder:validation:XValidation:rule=`self.all(k, !k.startsWith('example.com/'))`,message="names that begin with example.com/ are the operator's own: remove them or use a domain of yours"
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`

	// Whether the Services have IPv4 and IPv6 addresses. PreferDualStack takes
	// both where the cluster has both.
	// +optional
	// +kubebuilder:default="PreferDualStack"
	// +kubebuilder:validation:Enum=SingleStack;PreferDualStack;RequireDualStack
	IPFamilyPolicy corev1.IPFamilyPolicy `json:"ipFamilyPolicy,omitempty"`
}
