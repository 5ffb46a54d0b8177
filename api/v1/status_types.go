package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Phase is the state of a Database in one word, for people. Programs read the
// conditions.
//
// +kubebuilder:validation:Enum=Creating;Running;Degraded;FailingOver;SwitchingOver;Updating;Scaling;Blocked;Deleting
type Phase string

// The phases.
const (
	PhaseCreating      Phase = "Creating"      // never was ready since its creation
	PhaseRunning       Phase = "Running"       // all that was asked for is there
	PhaseDegraded      Phase = "Degraded"      // serves, with less than was asked for
	PhaseFailingOver   Phase = "FailingOver"   // the primary failed, another member takes over
	PhaseSwitchingOver Phase = "SwitchingOver" // the lead is handed over as planned
	PhaseUpdating      Phase = "Updating"      // members restart with a new spec
	PhaseScaling       Phase = "Scaling"       // members join or leave, or volumes grow
	PhaseBlocked       Phase = "Blocked"       // needs somebody: NotBlocked says what to do
	PhaseDeleting      Phase = "Deleting"      // everything but the volumes is being removed
)

// Role is what a member does.
//
// +kubebuilder:validation:Enum=starting;primary;replica
type Role string

// The roles.
const (
	RoleStarting Role = "starting"
	RolePrimary  Role = "primary"
	RoleReplica  Role = "replica"
)

// Lag tells whether a replica follows closely enough to serve reads. It is a
// word and not a number, so that an idle Database needs no status writes.
//
// +kubebuilder:validation:Enum=within;beyond
type Lag string

// Whether the lag is within the bound of the failover profile.
const (
	LagWithin Lag = "within"
	LagBeyond Lag = "beyond"
)

// DatabaseStatus is what the operator last saw.
type DatabaseStatus struct {
	// Generation of the spec that this status speaks of; -1 until the operator
	// has seen the object.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// The state in one word.
	// +optional
	Phase Phase `json:"phase,omitempty"`

	// Whether all members that were asked for serve as they should: the same as
	// the condition Ready.
	// +optional
	Ready bool `json:"ready"`

	// What is true of the database, each with a reason and a sentence that says
	// what is wrong and what happens next: Ready, Available, Durable, UpToDate,
	// NotBlocked, for which True is good; Reconciling while work is under way;
	// Stalled when nothing goes on until somebody acts.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// Identity of the data, made when the first member was initialised.
	// +optional
	ClusterUID string `json:"clusterUID,omitempty"`

	// Pod of the member that takes writes.
	// +optional
	Primary string `json:"primary,omitempty"`

	// Counts the changes of primary.
	// +optional
	Term int64 `json:"term,omitempty"`

	// The rule in force: which members hold the data, and how many must have a
	// write on disk before it is acknowledged.
	// +optional
	Rule *Rule `json:"rule,omitempty"`

	// The members, by pod.
	// +optional
	// +listType=map
	// +listMapKey=name
	Members []Member `json:"members,omitempty"`

	// How many members exist.
	// +optional
	Replicas int32 `json:"replicas"`

	// How many members are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas"`

	// Label selector of the members' pods, for the scale subresource.
	// +optional
	Selector string `json:"selector,omitempty"`

	// Release of the engine that the primary runs.
	// +optional
	Version string `json:"version,omitempty"`

	// What happens next, in order.
	// +optional
	// +listType=atomic
	Plan []string `json:"plan,omitempty"`

	// The last planned change of primary.
	// +optional
	LastSwitchover *Switchover `json:"lastSwitchover,omitempty"`

	// The Secret with which applications connect, as the Service Binding
	// specification has it.
	// +optional
	Binding *Binding `json:"binding,omitempty"`
}

// Rule says which members hold the data.
type Rule struct {
	// Counts the changes of the rule and of the primary.
	// +optional
	Version int64 `json:"version"`

	// Pods of the members that the rule counts.
	// +optional
	// +listType=set
	Members []string `json:"members,omitempty"`

	// How many of them, the primary included, must have a write on disk before
	// it is acknowledged.
	// +optional
	Acks int32 `json:"acks"`
}

// Member is a volume with an identity, and the pod that serves it.
type Member struct {
	// Name of the pod.
	// +required
	Name string `json:"name"`

	// Identity of the member, made when its volume was initialised.
	// +optional
	UID string `json:"uid,omitempty"`

	// What the member does. Empty while its agent cannot be asked.
	// +optional
	Role Role `json:"role,omitempty"`

	// How far its log reaches, in the engine's own notation, as of the last
	// change of this status.
	// +optional
	Position string `json:"position,omitempty"`

	// Whether a replica follows closely enough to serve reads: within or
	// beyond the bound of the failover profile.
	// +optional
	Lag Lag `json:"lag,omitempty"`

	// Release of the engine that it runs.
	// +optional
	EngineVersion string `json:"engineVersion,omitempty"`

	// Whether it serves as it should.
	// +optional
	Ready bool `json:"ready"`

	// Why it does not, in one word.
	// +optional
	Reason string `json:"reason,omitempty"`
}

// Switchover is a planned change of primary.
type Switchover struct {
	// Pod that was primary.
	// +optional
	From string `json:"from,omitempty"`

	// Pod that took over, or should have.
	// +optional
	To string `json:"to,omitempty"`

	// What it was for, in one word.
	// +optional
	Reason string `json:"reason,omitempty"`

	// How it ended, in one word.
	// +optional
	Result string `json:"result,omitempty"`

	// When it ended.
	// +optional
	Time *metav1.Time `json:"time,omitempty"`
}

// Binding names the Secret with which applications connect.
type Binding struct {
	// Name of the Secret, in the namespace of the Database.
	// +optional
	Name string `json:"name,omitempty"`
}
