package controllers

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/pki"
)

// scope is what one pass saw and did. It is made by observe, completed by the
// steps, read by status, and forgotten. A nil object was looked for and is not
// there.
type scope struct {
	db    *dbv1.Database
	in    desired.Input
	names desired.Names
	now   time.Time

	account   *corev1.ServiceAccount
	role      *rbacv1.Role
	binding   *rbacv1.RoleBinding
	readWrite *corev1.Service
	readOnly  *corev1.Service
	headless  *corev1.Service
	slices    map[string]*discoveryv1.EndpointSlice // by name; only those that exist
	register  *coordinationv1.Lease
	config    *corev1.ConfigMap
	budget    *policyv1.PodDisruptionBudget
	set       *appsv1.StatefulSet

	app, admin, ca, tls, pull *corev1.Secret

	claims [desired.MaxMembers]*corev1.PersistentVolumeClaim // by ordinal
	pods   [desired.MaxMembers]*corev1.Pod                   // by ordinal
	// events about the StatefulSet and the claims, newest first. They are asked
	// for only while a pod is missing or waits.
	events []corev1.Event

	// taken are objects of our names that belong to somebody else; leftover
	// those of a deleted Database of the same name, which garbage collection
	// has not reached yet.
	taken, leftover []string

	// refusal is why the spec is not carried out; the zero value if it is.
	refusal cause

	// families of the published Services, empty while there are none.
	families []corev1.IPFamily
	// pair is the authority's, once there is one.
	pair *pki.Pair
	// mounted is the hash of everything that the members' mounts should show.
	mounted string
	// wroteMounts tells that this pass has changed some of it.
	wroteMounts bool
	// renewal is when the next certificate is due.
	renewal time.Time

	// agents are the answers, by ordinal; nil was not asked or did not answer.
	agents [desired.MaxMembers]*agentapi.Status

	// replacing and restarting name the pods that the rollout acts on.
	replacing, restarting []string
	failures              []failure
}

// failure is a step that did not get through.
type failure struct {
	step string
	err  error
}

// member tells whether this ordinal is one that should run.
func (s *scope) member(ordinal int) bool { return ordinal < int(desired.Members) }

// deployed tells whether the Database has been brought to run before.
func (s *scope) deployed() bool { return s.set != nil }

// initialised tells whether there may be data whose loss would be one: the
// Database has had an identity, or a kept volume has been led with. A volume
// that never came so far, since its image was mistyped for instance, starts
// anew; should it hold records all the same, the agent goes by these.
func (s *scope) initialised() bool {
	if s.db.Status.ClusterUID != "" {
		return true
	}
	for _, claim := range s.claims {
		if claim != nil && claim.Annotations[desired.ClusterAnnotation] != "" {
			return true
		}
	}
	return false
}

// foreign tells whether the object of this name belongs to somebody else.
func (s *scope) foreign(kind, name string) bool { return slices.Contains(s.taken, kind+" "+name) }

// primary is the ordinal of the member that says it takes writes.
func (s *scope) primary() (ordinal int, found bool) {
	for ordinal, agent := range s.agents {
		if agent != nil && agent.Role == agentapi.RolePrimary && agent.Ready {
			return ordinal, true
		}
	}
	return 0, false
}
