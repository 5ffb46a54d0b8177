package desired

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metaac "k8s.io/client-go/applyconfigurations/meta/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/engine"
)

// Input is what all objects of one Database are made from.
type Input struct {
	Database *dbv1.Database
	Profile  engine.Profile
	Settings Settings
}

// Settings are the same for all Databases of an operator: its flags and what
// it found out about the cluster.
type Settings struct {
	// AgentImage carries the agent as /agent.
	AgentImage string
	// Registry is put before the images that profiles name.
	Registry string
	// ClusterDomain ends the full names of Services, "cluster.local".
	ClusterDomain string
	// PullSecret tells that every namespace gets a copy of the operator's own
	// image pull secrets.
	PullSecret bool
	// OpenShift assigns uids to namespaces and guards endpoints.
	OpenShift bool
	// RunAsUser and RunAsGroup override the profile's user; nil leaves it.
	RunAsUser, RunAsGroup *int64
}

// Members is how many members run. Replication comes with a later release:
// until then there is one, and status says so.
const Members int32 = 1

// MaxMembers bounds spec.replicas: certificates are made for all of them.
const MaxMembers = 5

// Labels that all objects carry. DatabaseLabel alone is used in selectors,
// since these can never change.
const (
	DatabaseLabel  = "example.com/database"
	EngineLabel    = "app.kubernetes.io/name"
	InstanceLabel  = "app.kubernetes.io/instance"
	ManagedByLabel = "app.kubernetes.io/managed-by"
	ManagedBy      = "db-operator"
)

// Labels of every object of the Database.
func (in Input) Labels() map[string]string {
	return map[string]string{
		EngineLabel:    string(in.Database.Spec.Engine),
		InstanceLabel:  in.Database.Name,
		ManagedByLabel: ManagedBy,
		DatabaseLabel:  in.Database.Name,
	}
}

// Selector of the members' pods.
func (in Input) Selector() map[string]string {
	return map[string]string{DatabaseLabel: in.Database.Name}
}

// owner makes garbage collection remove the object with its Database.
func (in Input) owner() *metaac.OwnerReferenceApplyConfiguration {
	return metaac.OwnerReference().
		WithAPIVersion(dbv1.GroupVersion.String()).
		WithKind("Database").
		WithName(in.Database.Name).
		WithUID(in.Database.UID).
		WithController(true).
		WithBlockOwnerDeletion(true)
}

// meta is the metadata of an object that is created rather than applied.
func (in Input) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Namespace:       in.Database.Namespace,
		Labels:          in.Labels(),
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(in.Database, dbv1.GroupVersion.WithKind("Database"))},
	}
}
