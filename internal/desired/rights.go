package desired

import (
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	rbacac "k8s.io/client-go/applyconfigurations/rbac/v1"
)

// ServiceAccount under which the agents call the API server. Its token is
// mounted only into the container that uses it.
func (in Input) ServiceAccount() *coreac.ServiceAccountApplyConfiguration {
	return coreac.ServiceAccount(in.names().Agent(), in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithAutomountServiceAccountToken(false)
}

// Role holds what agents may do: read and write their register and their
// endpoints, by name, and read the claims whose identity they check.
func (in Input) Role() *rbacac.RoleApplyConfiguration {
	n := in.names()
	claims := make([]string, MaxMembers)
	for ordinal := range claims {
		claims[ordinal] = n.Claim(ordinal)
	}
	role := rbacac.Role(n.Agent(), in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithRules(
			rbacac.PolicyRule().WithAPIGroups("coordination.k8s.io").WithResources("leases").
				WithResourceNames(n.Register()).WithVerbs("get", "update"),
			rbacac.PolicyRule().WithAPIGroups("discovery.k8s.io").WithResources("endpointslices").
				WithResourceNames(n.EndpointSlices()...).WithVerbs("get", "update"),
			rbacac.PolicyRule().WithAPIGroups("").WithResources("persistentvolumeclaims").
				WithResourceNames(claims...).WithVerbs("get"),
		)
	if in.Settings.OpenShift {
		// There, admission asks for this before it takes addresses of pods.
		role.WithRules(rbacac.PolicyRule().WithAPIGroups("discovery.k8s.io").
			WithResources("endpointslices/restricted").WithVerbs("create"))
	}
	return role
}

// RoleBinding gives the Role to the ServiceAccount.
func (in Input) RoleBinding() *rbacac.RoleBindingApplyConfiguration {
	name := in.names().Agent()
	return rbacac.RoleBinding(name, in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithRoleRef(rbacac.RoleRef().WithAPIGroup("rbac.authorization.k8s.io").WithKind("Role").WithName(name)).
		WithSubjects(rbacac.Subject().WithKind("ServiceAccount").WithName(name).WithNamespace(in.Database.Namespace))
}
