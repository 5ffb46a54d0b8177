package v1

// PodMetadata is added to the pods, beside the operator's own labels and
// annotations.
type PodMetadata struct {
	// Labels of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=50
	// +kubebuilder:validation:XValidation:rule=`self.all(k, k.size() <= 317 && k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="a label's name is [<domain>/]<name>, the name being at most 63 letters, digits, -, _ and ."
	// +kubebuilder:validation:XValidation:rule=`self.all(k, !(k in ['app.kubernetes.io/name', 'app.kubernetes.io/instance', 'app.kubernetes.io/managed-by', 'controller-revision-hash']) && !k.matches('^(example[.]com|statefulset[.]kubernetes[.]io|apps[.]kubernetes[.]io)/'))`,message="app.kubernetes.io/name, /instance and /managed-by, and names that begin with example.com/, statefulset.kubernetes.io/ or apps.kubernetes.io/ are set for you: remove them or use a domain of yours"
	Labels map[string]LabelValue `json:"labels,omitempty"`

	// Annotations of the pods.
	// +optional
	// +kubebuilder:validation:MaxProperties=50
	// +kubebuilder:validation:XValidation:rule=`self.all(k, k.size() <= 317 && k.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$'))`,message="an annotation's name is [<domain>/]<name>, the name being at most 63 letters, digits, -, _ and ."
	// +kubebuilder:validation:XValidation:rule=`self.all(k, !k.startsWith('example.com/'))`,message="names that begin with example.com/ are the operator's own: remove them or use a domain of yours"
	Annotations map[string]AnnotationValue `json:"annotations,omitempty"`
}

// LabelValue is the value of a label.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule=`self.matches('^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$')`,message="a label's value is letters, digits, -, _ and ., beginning and ending with a letter or digit: write it so, or use an annotation"
type LabelValue string

// AnnotationValue is the value of an annotation.
//
// +kubebuilder:validation:MaxLength=4096
type AnnotationValue string
