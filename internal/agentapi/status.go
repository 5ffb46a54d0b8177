package agentapi

import "time"

// Paths of the agent's HTTPS server on port 8443. Livez and Readyz answer
// anybody; all else asks for a client certificate of the Database's CA.
const (
	PathLivez   = "/livez"
	PathReadyz  = "/readyz"
	PathStatus  = "/v1/status"  // GET  -> Status
	PathRestart = "/v1/restart" // POST Restart: restart the engine, not the pod
)

// Roles of a member.
const (
	RoleStarting = "starting"
	RolePrimary  = "primary"
	RoleReplica  = "replica"
)

// Status is what an agent says of itself. It never blocks on the engine: the
// values are those of the agent's last look.
type Status struct {
	Member       string `json:"member"`
	UID          string `json:"uid"`
	ClusterUID   string `json:"clusterUID"`
	Ordinal      int    `json:"ordinal"`
	AgentVersion string `json:"agentVersion"`
	// SpecGeneration is the newest document that the agent has put in force.
	SpecGeneration int64  `json:"specGeneration"`
	Role           string `json:"role"`
	// Ready: the gate is open (primary), or replicating within bounds.
	Ready bool `json:"ready"`
	// Unrouted: the member leads, and clients of the read-write Service are not
	// known to be sent to it.
	Unrouted bool `json:"unrouted,omitempty"`
	// Reason is CamelCase, Message a sentence that says what is wrong and what
	// happens next. Both are empty while all is well.
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`

	Term          int64    `json:"term"`
	RecordVersion int64    `json:"recordVersion"`
	RuleMembers   []string `json:"ruleMembers,omitempty"`
	RuleAcks      int      `json:"ruleAcks"`

	EngineVersion string `json:"engineVersion,omitempty"`
	Position      string `json:"position,omitempty"`
	// PendingRestart names the parameters that take effect only when the
	// engine restarts.
	PendingRestart []string `json:"pendingRestart,omitempty"`
	// EngineStarts counts engine starts since the agent's own start.
	EngineStarts int `json:"engineStarts"`
	// ConfigHash tells which mounted files are in force, as HashFiles has it.
	ConfigHash string `json:"configHash,omitempty"`
	// Certificate is when this member's own certificate expires.
	Certificate time.Time `json:"certificate,omitzero"`

	// Transitions are the last 100, oldest first, for Events posted later.
	Transitions []Transition `json:"transitions,omitempty"`
}

// Transition is one change of role, gate or engine, for people.
type Transition struct {
	Sequence int64     `json:"sequence"` // grows by one, also across restarts of the agent
	Time     time.Time `json:"time"`     // wall clock, only ever displayed
	Reason   string    `json:"reason"`   // CamelCase
	Message  string    `json:"message"`
}

// Restart asks for one engine restart, so that pending parameters take effect.
// Asking again for a generation already served does nothing.
type Restart struct {
	Generation int64 `json:"generation"`
}

// Serves tells whether the member does its part and clients can reach it.
func (s *Status) Serves() bool { return s.Ready && !s.Unrouted }
