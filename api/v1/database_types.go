package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Database is a database server of the engine that spec.engine names, with its
// data, its replicas, its Services and its credentials. Applications find all
// that they need to connect in the Secret <name>-app.
// ---
// The kind is not in the category "all": clearing a namespace with
// "kubectl delete all --all" must not take databases with it.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=databases,singular=database,shortName=db,scope=Namespaced
// +kubebuilder:storageversion
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:metadata:labels="app.kubernetes.io/name=db-operator"
// +kubebuilder:metadata:labels="app.kubernetes.io/component=crd"
// +kubebuilder:printcolumn:name="Engine",type=string,JSONPath=`.spec.engine`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.spec.version`
// +kubebuilder:printcolumn:name="Ready",type=boolean,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Replicas",type=integer,JSONPath=`.spec.replicas`
// +kubebuilder:printcolumn:name="Primary",type=string,JSONPath=`.status.primary`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reason",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Message",type=string,priority=1,JSONPath=`.status.conditions[?(@.type=="Ready")].message`
// +kubebuilder:validation:XValidation:rule=`self.metadata.name.size() <= 45`,message="metadata.name is part of the names of Services, pods and volumes: write at most 45 characters"
// +kubebuilder:validation:XValidation:rule=`self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')`,message="metadata.name becomes a DNS name and a label: start with a lower-case letter, then write only lower-case letters, digits and -, and end with a letter or digit"
type Database struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the database should be. The operator reads it and never writes it.
	// +required
	Spec DatabaseSpec `json:"spec"`

	// What the database is, as the operator last saw it. It is written only
	// when something changes; until the operator has seen the object,
	// observedGeneration is -1.
	// +optional
	// +kubebuilder:default:={"observedGeneration":-1}
	Status DatabaseStatus `json:"status,omitzero"`
}

// DatabaseList is what the API server answers to a list of Databases.
//
// +kubebuilder:object:root=true
type DatabaseList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Database `json:"items"`
}

// Engine is the name of a database engine.
//
// +kubebuilder:validation:Enum=mysql;postgres
// +kubebuilder:validation:XValidation:rule=`self == oldSelf`,message="the engine cannot be changed: create another Database with the other engine and move the data"
type Engine string

// The engines. Everything else about an engine lives in its own package.
const (
	EngineMySQL    Engine = "mysql"
	EnginePostgres Engine = "postgres"
)

// DatabaseSpec is what a user asks for. Engine and version are enough.
//
// +kubebuilder:validation:XValidation:rule=`has(self.storageClassName) == has(oldSelf.storageClassName) && (!has(self.storageClassName) || self.storageClassName == oldSelf.storageClassName)`,message="the storage class of existing volumes cannot be changed, set or removed later: write it as it was, or create another Database and move the data",fieldPath=`.storageClassName`
type DatabaseSpec struct {
	// The database engine. It cannot be changed later.
	// +required
	Engine Engine `json:"engine"`

	// The engine's version: a series, such as "8.4" or "17", which takes the
	// newest patch release of that series, or an exact release, such as "9.7.4"
	// or "17.12". Quote it, so that YAML does not read a number. Another
	// release of the same series is a rolling update.
	// +required
	// +kubebuilder:validation:MaxLength=19
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[0-9]{1,4}([.][0-9]{1,4}){0,3}$')`,message="write digits separated by dots, in quotes, as in \"8.4\", \"17\" or \"17.12\"; a tag of an image goes into spec.image"
	Version string `json:"version"`

	// How many members hold the data: one primary, and replicas that can take
	// over. With two or more, a write is acknowledged only when at least two
	// members have it on disk.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5
	Replicas int32 `json:"replicas,omitempty"`

	// Size of the volume of each member, such as "50Gi". It may grow while the
	// database runs; a size below what the volumes have is refused with a
	// condition, and nothing is changed.
	// +optional
	// +kubebuilder:default="10Gi"
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:XValidation:rule=`isQuantity(self) && quantity(self).compareTo(quantity('100Mi')) >= 0`,message="write a size of at least 100Mi with its unit, as in \"50Gi\""
	Storage string `json:"storage,omitempty"`

	// StorageClass of the volumes. Without it the cluster's default class is
	// taken; "" asks for volumes without a class. It cannot be changed, set or
	// removed later.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches('^([a-z0-9]([-a-z0-9.]*[a-z0-9])?)?$')`,message="write the name of a StorageClass, as kubectl get storageclass shows it: lower-case letters, digits, - and ."
	StorageClassName *string `json:"storageClassName,omitempty"`

	// Image of the engine, with a tag or digest, in place of the one that the
	// operator derives from engine and version. It must be laid out like the
	// engine's official image and hold the version that spec.version names.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule=`self.matches('^(([a-zA-Z0-9]([-a-zA-Z0-9.]*[a-zA-Z0-9])?|[[][a-fA-F0-9:]+[]])(:[0-9]+)?/)?[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*(:[a-zA-Z0-9_][-a-zA-Z0-9_.]*(@[a-z0-9]+:[a-f0-9]+)?|@[a-z0-9]+:[a-f0-9]+)$')`,message="write an image reference with a tag or a digest, as in registry.example.com/team/server:17.12, without https://"
	Image string `json:"image,omitempty"`

	// Secrets of this namespace with which the images are pulled.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=16
	ImagePullSecrets []SecretReference `json:"imagePullSecrets,omitempty"`

	// CPU and memory of each member. The engine's memory settings follow the
	// memory limit, or the request where there is no limit. A CPU limit can
	// delay heartbeats: with one, set failover.profile to standard.
	// +optional
	// +kubebuilder:default={requests: {cpu: "100m", memory: "512Mi"}}
	Resources Resources `json:"resources,omitzero"`

	// On which nodes the members run.
	// +optional
	Scheduling Scheduling `json:"scheduling,omitzero"`

	// Labels and annotations that are added to the pods.
	// +optional
	PodMetadata PodMetadata `json:"podMetadata,omitzero"`

	// Settings of the engine, by the names that the engine itself uses, in
	// lower case and with underscores. Values are strings: quote numbers.
	// Settings that the operator needs to keep data safe are refused.
	// +optional
	Parameters Parameters `json:"parameters,omitempty"`

	// How a failure of the primary is dealt with.
	// +optional
	// +kubebuilder:default={}
	Failover Failover `json:"failover,omitzero"`

	// How many copies a write must have.
	// +optional
	// +kubebuilder:default={}
	Durability Durability `json:"durability,omitzero"`

	// How the Services <name>, which leads to the primary, and <name>-ro, which
	// leads to the replicas, are published.
	// +optional
	// +kubebuilder:default={}
	Service Service `json:"service,omitzero"`
}

// SecretReference names a Secret in the namespace of the Database.
type SecretReference struct {
	// Name of the Secret.
	// +required
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:XValidation:rule=`self.matches('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$')`,message="write the name of a Secret of this namespace: lower-case letters, digits, - and ."
	Name string `json:"name"`
}

// Resources of the container that runs the engine.
//
// +kubebuilder:validation:XValidation:rule=`!has(self.requests) || !has(self.limits) || ['cpu', 'memory', 'ephemeral-storage'].all(r, !(r in self.requests) || !(r in self.limits) || quantity(string(self.requests[r])).compareTo(quantity(string(self.limits[r]))) <= 0)`,message="a request is larger than its limit: write a limit of at least the request"
type Resources struct {
	// What each member is guaranteed. What is left out is taken from the
	// limits.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule=`self.all(r, r in ['cpu', 'memory', 'ephemeral-storage'] || r.matches('^(hugepages-[0-9A-Za-z]+|[^/]+/[^/]+)$'))`,message="resources are named cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<name>"
	Requests corev1.ResourceList `json:"requests,omitempty"`

	// What each member may use at most. No limit by default.
	// +optional
	// +kubebuilder:validation:MaxProperties=8
	// +kubebuilder:validation:XValidation:rule=`self.all(r, r in ['cpu', 'memory', 'ephemeral-storage'] || r.matches('^(hugepages-[0-9A-Za-z]+|[^/]+/[^/]+)$'))`,message="resources are named cpu, memory, ephemeral-storage, hugepages-<size> or <domain>/<name>"
	Limits corev1.ResourceList `json:"limits,omitempty"`
}
