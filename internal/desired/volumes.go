package desired

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/myuser/db-operator/internal/pod"
)

const (
	binVolume   = "agent"
	runVolume   = "run"
	shmVolume   = "shm"
	tmpVolume   = "tmp"
	specVolume  = "spec"
	tlsVolume   = "tls"
	appVolume   = "app"
	adminVolume = "admin"
	tokenVolume = "token"

	tokenMount = "/var/run/secrets/kubernetes.io/serviceaccount" // where every client looks
	// tokenSeconds is what Kubernetes itself asks for.
	tokenSeconds = 3607
	// readable by the engine's group only: fsGroup is set on all of them.
	secretMode = 0o440
)

var (
	one = resource.MustParse("1")
	// Limits of what lies in memory or on the node. /dev/shm is a ceiling, not
	// a reservation: engines put the memory of parallel queries there.
	binSize = resource.MustParse("64Mi")
	runSize = resource.MustParse("64Mi")
	shmSize = resource.MustParse("1Gi")
	tmpSize = resource.MustParse("1Gi")
)

func (in Input) volumes() []*coreac.VolumeApplyConfiguration {
	n := in.names()
	return []*coreac.VolumeApplyConfiguration{
		scratch(binVolume, corev1.StorageMediumDefault, binSize),
		scratch(runVolume, corev1.StorageMediumMemory, runSize),
		scratch(shmVolume, corev1.StorageMediumMemory, shmSize),
		scratch(tmpVolume, corev1.StorageMediumDefault, tmpSize),
		coreac.Volume().WithName(specVolume).WithConfigMap(coreac.ConfigMapVolumeSource().WithName(n.Config()).WithDefaultMode(secretMode)),
		secretVolume(tlsVolume, n.TLS()),
		secretVolume(appVolume, n.App()),
		secretVolume(adminVolume, n.Admin()),
		tokenProjection(),
	}
}

func mounts() []*coreac.VolumeMountApplyConfiguration {
	mount := func(volume, path string) *coreac.VolumeMountApplyConfiguration {
		return coreac.VolumeMount().WithName(volume).WithMountPath(path)
	}
	return []*coreac.VolumeMountApplyConfiguration{
		mount(pod.DataVolume, pod.DataMount),
		mount(binVolume, pod.BinMount).WithReadOnly(true),
		mount(binVolume, "/etc/passwd").WithSubPath(pod.Passwd).WithReadOnly(true),
		mount(runVolume, pod.RunMount),
		mount(shmVolume, pod.ShmMount),
		mount(tmpVolume, pod.TmpMount),
		mount(specVolume, pod.SpecMount).WithReadOnly(true),
		mount(tlsVolume, pod.TLSMount).WithReadOnly(true),
		mount(appVolume, pod.AppMount).WithReadOnly(true),
		mount(adminVolume, pod.AdminMount).WithReadOnly(true),
		mount(tokenVolume, tokenMount).WithReadOnly(true),
	}
}

func scratch(name string, medium corev1.StorageMedium, limit resource.Quantity) *coreac.VolumeApplyConfiguration {
	dir := coreac.EmptyDirVolumeSource().WithSizeLimit(limit)
	if medium != corev1.StorageMediumDefault {
		dir.WithMedium(medium)
	}
	return coreac.Volume().WithName(name).WithEmptyDir(dir)
}

func secretVolume(name, secret string) *coreac.VolumeApplyConfiguration {
	return coreac.Volume().WithName(name).WithSecret(coreac.SecretVolumeSource().WithSecretName(secret).WithDefaultMode(secretMode))
}

// tokenProjection is what automounting would add to every container.
func tokenProjection() *coreac.VolumeApplyConfiguration {
	return coreac.Volume().WithName(tokenVolume).WithProjected(coreac.ProjectedVolumeSource().
		WithDefaultMode(secretMode).
		WithSources(
			coreac.VolumeProjection().WithServiceAccountToken(coreac.ServiceAccountTokenProjection().
				WithPath("token").WithExpirationSeconds(tokenSeconds)),
			coreac.VolumeProjection().WithConfigMap(coreac.ConfigMapProjection().
				WithName("kube-root-ca.crt").WithItems(coreac.KeyToPath().WithKey("ca.crt").WithPath("ca.crt"))),
			coreac.VolumeProjection().WithDownwardAPI(coreac.DownwardAPIProjection().
				WithItems(coreac.DownwardAPIVolumeFile().WithPath("namespace").
					WithFieldRef(coreac.ObjectFieldSelector().WithAPIVersion("v1").WithFieldPath("metadata.namespace")))),
		))
}
