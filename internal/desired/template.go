package desired

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	appsac "k8s.io/client-go/applyconfigurations/apps/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// The pod template of a running Database changes only when its spec does. An
// operator that would build another template from the same spec (a newer
// release, other flags) keeps the one that runs, byte by byte; its own comes
// into force with the next change of the spec.
//
// Two annotations on the StatefulSet tell these cases apart: which spec the
// template was made from, and what the operator that applied it had built.
//
//	spec     built    what is applied
//	other    any      the new template: a rollout
//	same     same     the new template, which equals the old one: what was
//	                  edited by hand is set right
//	same     other    the old template, unless somebody has taken over one of
//	                  its fields
const (
	inputsAnnotation = "example.com/template-inputs"
	builtAnnotation  = "example.com/template-built"
)

// RestartAnnotation on a Database restarts its members when it gets a new value.
const RestartAnnotation = "example.com/restart"

// templateInputs names everything of the Database that its pod template is
// made from. A field added here must be left out of the JSON while it is not
// used, or every Database restarts with the operator that brings it.
func (in Input) templateInputs() string {
	spec := in.Database.Spec
	return hash(struct {
		Version          string                 `json:"version"`
		Image            string                 `json:"image,omitempty"`
		ImagePullSecrets []dbv1.SecretReference `json:"imagePullSecrets,omitempty"`
		Resources        dbv1.Resources         `json:"resources,omitzero"`
		Scheduling       dbv1.Scheduling        `json:"scheduling,omitzero"`
		PodMetadata      dbv1.PodMetadata       `json:"podMetadata,omitzero"`
		Restart          string                 `json:"restart,omitempty"`
	}{
		spec.Version, spec.Image, spec.ImagePullSecrets, spec.Resources, spec.Scheduling, spec.PodMetadata,
		in.Database.Annotations[RestartAnnotation],
	})
}

// KeepTemplate turns the StatefulSet that was built into the one to apply,
// given owned, which is what we have applied to the one that exists.
// takenOver tells that somebody else has set a field that built sets.
func KeepTemplate(built, owned *appsac.StatefulSetApplyConfiguration, takenOver bool) *appsac.StatefulSetApplyConfiguration {
	if owned == nil || owned.Spec == nil || owned.Spec.Template == nil {
		return built
	}
	apply := *built
	spec := *built.Spec
	apply.Spec = &spec
	// Claim templates cannot be changed at all; claims grow one by one.
	if len(owned.Spec.VolumeClaimTemplates) > 0 {
		spec.VolumeClaimTemplates = owned.Spec.VolumeClaimTemplates
	}
	sameInputs := owned.Annotations[inputsAnnotation] == built.Annotations[inputsAnnotation]
	sameBuilt := owned.Annotations[builtAnnotation] == built.Annotations[builtAnnotation]
	if sameInputs && !sameBuilt && !takenOver {
		spec.Template = owned.Spec.Template
		objectMeta := *built.ObjectMetaApplyConfiguration
		objectMeta.Annotations = maps.Clone(built.Annotations)
		objectMeta.Annotations[builtAnnotation] = owned.Annotations[builtAnnotation]
		apply.ObjectMetaApplyConfiguration = &objectMeta
	}
	return &apply
}

// hash is a short name for the JSON form of v.
func hash(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // what was read from JSON, or built from such, always encodes
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:10])
}
