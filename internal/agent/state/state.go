package state

import (
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/ha"
)

// State is durable. The zero value is that of a volume never used.
type State struct {
	// ClusterUID is common to all copies of one set of data. It is made with
	// the data and outlives the Database object that asked for them.
	ClusterUID string `json:"clusterUID,omitempty"`
	// MemberUID names this member; Claim is the uid of the volume claim that
	// it was made on, empty where nobody has looked.
	MemberUID string `json:"memberUID,omitempty"`
	Claim     string `json:"claim,omitempty"`
	// Namespace, Name and Engine say whose data these are.
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Engine    string `json:"engine,omitempty"`

	// Boot grows by one with each start of the agent; Nonce tells two starts
	// apart that a copied volume gave the same number.
	Boot  int64  `json:"boot"`
	Nonce string `json:"nonce,omitempty"`

	// Floor is a promise to follow no leader whose record version is below it.
	Floor int64 `json:"floor,omitempty"`
	// Promotions counts how often this member's engine was made a primary.
	Promotions int64 `json:"promotions,omitempty"`
	// Seen is the newest record known to be or to have been in the register;
	// Pending one that this member tried to write, outcome unknown.
	Seen    *ha.Record `json:"seen,omitempty"`
	Pending *ha.Record `json:"pending,omitempty"`

	// Spec is the newest document that was put in force.
	Spec *agentapi.Spec `json:"spec,omitempty"`
	// Restarted is the newest generation whose engine restart was asked for and
	// done.
	Restarted int64 `json:"restarted,omitempty"`
	// Job names a destructive job on the engine's directory while it runs. A
	// directory found under one is never started.
	Job string `json:"job,omitempty"`
}
