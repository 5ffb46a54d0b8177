package desired

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
)

// Annotations on a member's claim. They live as long as the data.
const (
	// VersionAnnotation is the spec.version under which the data was last
	// served: a Database that finds a kept claim compares it with its own.
	VersionAnnotation = "example.com/version"
	// PostedAnnotation is the sequence of the member's last transition that
	// was posted as an Event. It moves only when there was one.
	PostedAnnotation = "example.com/posted"
)

// Claim is what the operator sets on a claim that the StatefulSet made: its
// size and what to remember with the data. It has no owner, so that the data
// outlives the Database.
func (in Input) Claim(ordinal int, size resource.Quantity, posted string) *coreac.PersistentVolumeClaimApplyConfiguration {
	annotations := map[string]string{VersionAnnotation: in.Database.Spec.Version}
	if posted != "" {
		annotations[PostedAnnotation] = posted
	}
	return coreac.PersistentVolumeClaim(in.names().Claim(ordinal), in.Database.Namespace).
		WithAnnotations(annotations).
		WithSpec(coreac.PersistentVolumeClaimSpec().
			WithResources(coreac.VolumeResourceRequirements().
				WithRequests(corev1.ResourceList{corev1.ResourceStorage: size})))
}
