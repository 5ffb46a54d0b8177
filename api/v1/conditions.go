package v1

// Condition types. True is good, except for the last two, which are kstatus'
// own: tools such as Flux read Reconciling=True as "in progress" and
// Stalled=True as "failed", whatever Ready says.
const (
	// ConditionReady: the members asked for all serve within bounds.
	ConditionReady = "Ready"
	// ConditionAvailable: the primary's gate is open to clients.
	ConditionAvailable = "Available"
	// ConditionDurable: at least two members must have a write on disk before
	// it is acknowledged, or only one member is wanted.
	ConditionDurable = "Durable"
	// ConditionUpToDate: every member runs what the spec and the operator ask
	// for.
	ConditionUpToDate = "UpToDate"
	// ConditionNotBlocked: nothing waits for somebody outside the operator.
	ConditionNotBlocked = "NotBlocked"
	// ConditionReconciling: work is under way.
	ConditionReconciling = "Reconciling"
	// ConditionStalled: nothing goes on until somebody acts.
	ConditionStalled = "Stalled"
)

// Reasons while all is well or work is under way.
const (
	// ReasonReady: all members asked for are ready.
	ReasonReady = "Ready"
	// ReasonAvailable: a primary takes writes.
	ReasonAvailable = "Available"
	// ReasonSingleMember: one member is wanted, so one copy is what was asked for.
	ReasonSingleMember = "SingleMember"
	// ReasonSettled: the spec is in force and nothing is under way.
	ReasonSettled = "Settled"
	// ReasonCreating: the objects of the Database are being made.
	ReasonCreating = "Creating"
	// ReasonInitializing: the first member makes its data directory.
	ReasonInitializing = "Initializing"
	// ReasonMembersNotReady: at least one member does not serve as it should.
	ReasonMembersNotReady = "MembersNotReady"
	// ReasonNoPrimary: no member takes writes.
	ReasonNoPrimary = "NoPrimary"
	// ReasonUpdating: members restart to take a new spec.
	ReasonUpdating = "Updating"
	// ReasonRestartPending: a parameter waits for a restart of the engine.
	ReasonRestartPending = "RestartPending"
	// ReasonResizing: volumes grow.
	ReasonResizing = "Resizing"
	// ReasonAgentOutdated: the pods run an older agent, which stays until the
	// next rollout.
	ReasonAgentOutdated = "AgentOutdated"
	// ReasonDeleting: everything but the volumes is being removed.
	ReasonDeleting = "Deleting"
)

// Reasons of Stalled: the spec asks for what cannot be done. Nothing is
// changed meanwhile.
const (
	// ReasonNameConflict: an object of a needed name belongs to somebody else.
	ReasonNameConflict = "NameConflict"
	// ReasonInvalidParameters: the engine does not take one of the parameters.
	ReasonInvalidParameters = "InvalidParameters"
	// ReasonInvalidScheduling: spec.scheduling.affinity is not what a pod accepts.
	ReasonInvalidScheduling = "InvalidScheduling"
	// ReasonInvalidSpec: the API server refused an object made from the spec.
	ReasonInvalidSpec = "InvalidSpec"
	// ReasonUnsupportedVersion: the operator does not know this version of the
	// engine.
	ReasonUnsupportedVersion = "UnsupportedVersion"
	// ReasonVersionChangeRefused: another series, or an older release.
	ReasonVersionChangeRefused = "VersionChangeRefused"
	// ReasonStorageCannotShrink: the volumes are larger than what is asked for.
	ReasonStorageCannotShrink = "StorageCannotShrink"
	// ReasonStorageCannotGrow: the StorageClass does not allow expansion.
	ReasonStorageCannotGrow = "StorageCannotGrow"
	// ReasonEngineMismatch: kept volumes of this name hold another engine's data.
	ReasonEngineMismatch = "EngineMismatch"
	// ReasonReplicationNotSupported: more members than this release can run.
	ReasonReplicationNotSupported = "ReplicationNotSupported"
)

// Reasons of NotBlocked=False: the cluster lacks something.
const (
	// ReasonUnschedulable: no node takes the pod.
	ReasonUnschedulable = "Unschedulable"
	// ReasonStorageClassNotFound: there is no such StorageClass, or no default.
	ReasonStorageClassNotFound = "StorageClassNotFound"
	// ReasonClaimPending: a volume was not provisioned in time.
	ReasonClaimPending = "ClaimPending"
	// ReasonImageNotPulled: a node cannot pull an image.
	ReasonImageNotPulled = "ImageNotPulled"
	// ReasonQuotaExceeded: a quota of the namespace refuses an object.
	ReasonQuotaExceeded = "QuotaExceeded"
	// ReasonPodRefused: the API server refuses the pod, a policy for instance.
	ReasonPodRefused = "PodRefused"
	// ReasonEngineFailing: the engine starts and ends again and again.
	ReasonEngineFailing = "EngineFailing"
	// ReasonNotBlocked: nothing is lacking.
	ReasonNotBlocked = "NotBlocked"
)
