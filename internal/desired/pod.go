package desired

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pod"
)

const (
	// gracePeriod is for a clean stop of the engine; the agent kills ten
	// seconds before its end.
	gracePeriod = 60
	// The agent answers liveness from memory, whatever its engine does. Only a
	// loop that hung for a whole minute fails it.
	livenessPeriod, livenessTimeout, livenessFailures = 10, 5, 6
	// Readiness is cheap, and what users wait for.
	readinessPeriod, readinessTimeout, readinessFailures = 1, 2, 2
)

// podTemplate of the members: the stock image, with our agent as PID 1.
func (in Input) podTemplate() (*coreac.PodTemplateSpecApplyConfiguration, error) {
	spec := coreac.PodSpec().
		WithServiceAccountName(in.names().Agent()).
		WithAutomountServiceAccountToken(false).
		WithEnableServiceLinks(false).
		WithTerminationGracePeriodSeconds(gracePeriod).
		WithSecurityContext(in.podSecurity()).
		WithInitContainers(in.installer()).
		WithContainers(in.engine()).
		WithVolumes(in.volumes()...)
	for _, secret := range in.Database.Spec.ImagePullSecrets {
		spec.WithImagePullSecrets(coreac.LocalObjectReference().WithName(secret.Name))
	}
	if in.Settings.PullSecret {
		spec.WithImagePullSecrets(coreac.LocalObjectReference().WithName(in.names().Pull()))
	}
	if err := in.schedule(spec); err != nil {
		return nil, err
	}
	labels, annotations := in.podMetadata()
	template := coreac.PodTemplateSpec().WithLabels(labels).WithSpec(spec)
	if len(annotations) > 0 {
		template.WithAnnotations(annotations)
	}
	return template, nil
}

func (in Input) podMetadata() (labels, annotations map[string]string) {
	labels, annotations = map[string]string{}, map[string]string{}
	maps.Copy(labels, dbv1.Plain(in.Database.Spec.PodMetadata.Labels))
	maps.Copy(labels, in.Labels()) // ours cannot be overridden
	maps.Copy(annotations, dbv1.Plain(in.Database.Spec.PodMetadata.Annotations))
	if restart, ok := in.Database.Annotations[RestartAnnotation]; ok {
		annotations[RestartAnnotation] = restart
	}
	return labels, annotations
}

// installer brings the agent's binary, and a passwd file in which the uid that
// the pod happens to have bears the name that the engine expects.
func (in Input) installer() *coreac.ContainerApplyConfiguration {
	user, _ := in.Profile.User()
	return coreac.Container().
		WithName(pod.InitContainer).
		WithImage(in.Settings.AgentImage).
		WithImagePullPolicy(corev1.PullIfNotPresent).
		WithCommand("/agent", "install", "--to", pod.BinMount, "--user", user).
		WithSecurityContext(containerSecurity()).
		WithResources(in.resources()). // a quota may ask every container for them
		WithVolumeMounts(coreac.VolumeMount().WithName(binVolume).WithMountPath(pod.BinMount))
}

func (in Input) engine() *coreac.ContainerApplyConfiguration {
	return coreac.Container().
		WithName(pod.Container).
		WithImage(in.EngineImage()).
		WithImagePullPolicy(corev1.PullIfNotPresent).
		WithCommand(pod.AgentPath, "run").
		WithEnv(in.environment()...).
		WithPorts(
			containerPort(pod.EnginePortName, in.Profile.Port()),
			containerPort(pod.AgentPortName, pod.AgentPort),
			containerPort(pod.MetricsName, pod.MetricsPort),
		).
		WithResources(in.resources()).
		WithSecurityContext(containerSecurity()).
		WithTerminationMessagePolicy(corev1.TerminationMessageFallbackToLogsOnError).
		WithLivenessProbe(probe(agentapi.PathLivez, livenessPeriod, livenessTimeout, livenessFailures)).
		WithReadinessProbe(probe(agentapi.PathReadyz, readinessPeriod, readinessTimeout, readinessFailures)).
		WithVolumeMounts(mounts()...)
}

func (in Input) resources() *coreac.ResourceRequirementsApplyConfiguration {
	wanted := in.Database.Spec.Resources
	resources := coreac.ResourceRequirements()
	if len(wanted.Requests) > 0 {
		resources.WithRequests(wanted.Requests)
	}
	if len(wanted.Limits) > 0 {
		resources.WithLimits(wanted.Limits)
	}
	return resources
}

func (in Input) environment() []*coreac.EnvVarApplyConfiguration {
	memory := "requests.memory"
	if _, limited := in.Database.Spec.Resources.Limits[corev1.ResourceMemory]; limited {
		memory = "limits.memory"
	}
	field := func(name, path string) *coreac.EnvVarApplyConfiguration {
		return coreac.EnvVar().WithName(name).WithValueFrom(coreac.EnvVarSource().
			WithFieldRef(coreac.ObjectFieldSelector().WithAPIVersion("v1").WithFieldPath(path)))
	}
	return []*coreac.EnvVarApplyConfiguration{
		field(pod.EnvName, "metadata.name"),
		field(pod.EnvNamespace, "metadata.namespace"),
		field(pod.EnvIP, "status.podIP"),
		field(pod.EnvIPs, "status.podIPs"),
		field(pod.EnvNode, "spec.nodeName"),
		coreac.EnvVar().WithName(pod.EnvMemoryBytes).WithValueFrom(coreac.EnvVarSource().
			WithResourceFieldRef(coreac.ResourceFieldSelector().
				WithContainerName(pod.Container).WithResource(memory).WithDivisor(one))),
	}
}

func containerPort(name string, port int32) *coreac.ContainerPortApplyConfiguration {
	return coreac.ContainerPort().WithName(name).WithContainerPort(port).WithProtocol(corev1.ProtocolTCP)
}

func probe(path string, period, timeout, failures int32) *coreac.ProbeApplyConfiguration {
	return coreac.Probe().
		WithHTTPGet(coreac.HTTPGetAction().
			WithScheme(corev1.URISchemeHTTPS).WithPath(path).WithPort(intstr.FromInt32(pod.AgentPort))).
		WithPeriodSeconds(period).WithTimeoutSeconds(timeout).WithFailureThreshold(failures)
}
