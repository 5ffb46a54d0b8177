package desired

import (
	"fmt"
	"slices"

	"github.com/myuser/db-operator/internal/pod"
)

// Names of the objects of a Database. The StatefulSet, the read-write Service
// and the PodDisruptionBudget have the Database's own.
type Names string

func (n Names) StatefulSet() string    { return string(n) }
func (n Names) ReadWrite() string      { return string(n) }
func (n Names) ReadOnly() string       { return string(n) + "-ro" }
func (n Names) Members() string        { return string(n) + "-members" }
func (n Names) Budget() string         { return string(n) }
func (n Names) Config() string         { return string(n) + "-config" }
func (n Names) Register() string       { return string(n) + "-ha" }
func (n Names) Agent() string          { return string(n) + "-agent" } // ServiceAccount, Role, RoleBinding
func (n Names) App() string            { return string(n) + "-app" }
func (n Names) Admin() string          { return string(n) + "-admin" }
func (n Names) Authority() string      { return string(n) + "-ca" }
func (n Names) TLS() string            { return string(n) + "-tls" }
func (n Names) Pull() string           { return string(n) + "-pull" }
func (n Names) Pod(ordinal int) string { return fmt.Sprintf("%s-%d", string(n), ordinal) }

// Claim is the name that the StatefulSet gives the volume of a member.
func (n Names) Claim(ordinal int) string { return pod.DataVolume + "-" + n.Pod(ordinal) }

// EndpointSlice of the read-write or read-only Service, for the Services'
// first or second address family.
func (n Names) EndpointSlice(readOnly bool, family int) string {
	name := string(n) + "-rw"
	if readOnly {
		name = string(n) + "-ro"
	}
	if family > 0 {
		name += "-v6"
	}
	return name
}

// EndpointSlices are all names that can be in use.
func (n Names) EndpointSlices() []string {
	return []string{n.EndpointSlice(false, 0), n.EndpointSlice(false, 1), n.EndpointSlice(true, 0), n.EndpointSlice(true, 1)}
}

// Host is how clients call the read-write Service.
func (n Names) Host(namespace string) string { return string(n) + "." + namespace + ".svc" }

// PodHost is how the operator and other members call a member's agent.
func (n Names) PodHost(namespace string, ordinal int) string {
	return n.Pod(ordinal) + "." + n.Members() + "." + namespace + ".svc"
}

// DNSNames are all spellings by which a member may be called: any member may
// become the one behind <name>. Sorted.
func (n Names) DNSNames(namespace, domain string, ordinal int) []string {
	names := []string{"localhost", n.Pod(ordinal)}
	for _, service := range []string{n.ReadWrite(), n.ReadOnly(), n.Pod(ordinal) + "." + n.Members()} {
		names = append(names, service, service+"."+namespace, service+"."+namespace+".svc", service+"."+namespace+".svc."+domain)
	}
	slices.Sort(names)
	return names
}

func (in Input) names() Names { return Names(in.Database.Name) }
