package desired

import (
	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
)

// podSecurity satisfies the restricted profile under any uid. On OpenShift the
// uid is left to the namespace's range.
func (in Input) podSecurity() *coreac.PodSecurityContextApplyConfiguration {
	security := coreac.PodSecurityContext().
		WithRunAsNonRoot(true).
		WithSeccompProfile(coreac.SeccompProfile().WithType(corev1.SeccompProfileTypeRuntimeDefault)).
		// A volume of terabytes is not walked at every start.
		WithFSGroupChangePolicy(corev1.FSGroupChangeOnRootMismatch)
	if in.Settings.OpenShift && in.Settings.RunAsUser == nil {
		return security
	}
	_, user := in.Profile.User()
	if in.Settings.RunAsUser != nil {
		user = *in.Settings.RunAsUser
	}
	group := user
	if in.Settings.RunAsGroup != nil {
		group = *in.Settings.RunAsGroup
	}
	return security.WithRunAsUser(user).WithRunAsGroup(group).WithFSGroup(user)
}

func containerSecurity() *coreac.SecurityContextApplyConfiguration {
	return coreac.SecurityContext().
		WithAllowPrivilegeEscalation(false).
		WithReadOnlyRootFilesystem(true).
		WithCapabilities(coreac.Capabilities().WithDrop("ALL"))
}
