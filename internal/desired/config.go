package desired

import (
	"encoding/json"

	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pod"
)

// The accounts that the binding Secrets grant access to, and their database.
const (
	AppUser     = "app"
	AppDatabase = "app"
	AdminUser   = "admin"
)

// Spec is the document for the agents. families is how many address families
// the Services have, 0 while that is not known.
func (in Input) Spec(families int) agentapi.Spec {
	db, n := in.Database, in.names()
	spec := agentapi.Spec{
		Generation:  db.Generation,
		Namespace:   db.Namespace,
		Name:        db.Name,
		DatabaseUID: string(db.UID),
		Engine:      string(db.Spec.Engine),
		Version:     db.Spec.Version,
		Replicas:    Members,
		Parameters:  dbv1.Plain(db.Spec.Parameters),
		Profile:     string(db.Spec.Failover.Profile),
		OnLoss:      string(db.Spec.Durability.OnLoss),
		Register:    n.Register(),
		Endpoints:   agentapi.Endpoints{ReadWrite: n.EndpointSlice(false, 0), ReadOnly: n.EndpointSlice(true, 0)},
		Members:     n.Members(),
		Accounts:    agentapi.Accounts{Database: AppDatabase, App: AppUser, Admin: AdminUser},
	}
	if families > 1 {
		spec.Endpoints.ReadWriteV6 = n.EndpointSlice(false, 1)
		spec.Endpoints.ReadOnlyV6 = n.EndpointSlice(true, 1)
	}
	return spec
}

// Config carries the document to the members.
func (in Input) Config(spec agentapi.Spec) *coreac.ConfigMapApplyConfiguration {
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		panic(err) // a struct of strings and numbers always encodes
	}
	return coreac.ConfigMap(in.names().Config(), in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithData(map[string]string{pod.SpecFile: string(text) + "\n"})
}
