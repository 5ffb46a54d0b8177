package desired

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/pod"
)

// ReadWriteService leads to the primary, or to nothing. It has no selector:
// the primary's agent writes its endpoints, so that no label, probe or kubelet
// stands between a failover and the clients.
func (in Input) ReadWriteService() *coreac.ServiceApplyConfiguration {
	return in.published(in.names().ReadWrite())
}

// ReadOnlyService leads to the replicas within the lag bound, in the same way.
func (in Input) ReadOnlyService() *coreac.ServiceApplyConfiguration {
	return in.published(in.names().ReadOnly())
}

func (in Input) published(name string) *coreac.ServiceApplyConfiguration {
	wanted := in.Database.Spec.Service
	service := coreac.Service(name, in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithSpec(coreac.ServiceSpec().
			WithType(wanted.Type).
			WithIPFamilyPolicy(wanted.IPFamilyPolicy).
			WithPorts(servicePort(pod.EnginePortName, in.Profile.Port())))
	if len(wanted.Annotations) > 0 {
		service.WithAnnotations(dbv1.Plain(wanted.Annotations))
	}
	return service
}

// MembersService names each member in the DNS, ready or not: members must find
// each other to become ready.
func (in Input) MembersService() *coreac.ServiceApplyConfiguration {
	return coreac.Service(in.names().Members(), in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithSpec(coreac.ServiceSpec().
			WithClusterIP(corev1.ClusterIPNone).
			WithIPFamilyPolicy(corev1.IPFamilyPolicyPreferDualStack).
			WithPublishNotReadyAddresses(true).
			WithSelector(in.Selector()).
			WithPorts(
				servicePort(pod.EnginePortName, in.Profile.Port()),
				servicePort(pod.AgentPortName, pod.AgentPort),
				servicePort(pod.MetricsName, pod.MetricsPort),
			))
}

func servicePort(name string, port int32) *coreac.ServicePortApplyConfiguration {
	return coreac.ServicePort().WithName(name).WithProtocol(corev1.ProtocolTCP).WithPort(port).WithTargetPort(intstr.FromInt32(port))
}
