// Package agentapi holds what operator, agents and people's tools say to each
// other: the document that the operator writes for a member, the report that
// an agent gives of itself, and the client for both. It knows no engine.
package agentapi

import (
	"encoding/json"
	"fmt"
)

// Spec is what an agent is told: the content of spec.json in the ConfigMap.
// It is the same for all members of a Database.
type Spec struct {
	// Generation of the Database this document was made from.
	Generation int64  `json:"generation"`
	Namespace  string `json:"namespace"`
	Name       string `json:"name"`
	// DatabaseUID is the Kubernetes uid of the Database object.
	DatabaseUID string `json:"databaseUID"`
	Engine      string `json:"engine"`
	Version     string `json:"version"`
	Replicas    int32  `json:"replicas"`
	// Parameters are engine settings as the user wrote them.
	Parameters map[string]string `json:"parameters,omitempty"`
	// Profile is failover.profile: fast, standard or far.
	Profile string `json:"profile"`
	// OnLoss is durability.onLoss: degrade or block.
	OnLoss string `json:"onLoss"`
	// Register is the name of the Lease, Endpoints of the EndpointSlices that
	// the agents write.
	Register  string    `json:"register"`
	Endpoints Endpoints `json:"endpoints"`
	// Members is the headless Service: a member's address is
	// <pod>.<members>.<namespace>.svc.
	Members string `json:"members"`
	// Accounts names what the binding Secrets grant access to.
	Accounts Accounts `json:"accounts"`
}

// Endpoints names the EndpointSlices; the V6 ones are empty in a single-stack
// cluster.
type Endpoints struct {
	ReadWrite   string `json:"readWrite"`
	ReadWriteV6 string `json:"readWriteV6,omitempty"`
	ReadOnly    string `json:"readOnly"`
	ReadOnlyV6  string `json:"readOnlyV6,omitempty"`
}

// Accounts are names only: passwords come from the mounted Secrets.
type Accounts struct {
	Database string `json:"database"`
	App      string `json:"app"`
	Admin    string `json:"admin"`
}

// ParseSpec reads the document and refuses one that no operator of ours writes.
func ParseSpec(text []byte) (Spec, error) {
	var s Spec
	if err := json.Unmarshal(text, &s); err != nil {
		return Spec{}, fmt.Errorf("reading spec: %w", err)
	}
	if s.Name == "" || s.Namespace == "" || s.Engine == "" || s.Version == "" || s.Register == "" {
		return Spec{}, fmt.Errorf("reading spec: name, namespace, engine, version and register must all be set")
	}
	return s, nil
}
