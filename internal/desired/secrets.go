package desired

import (
	"maps"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/pki"
	"github.com/myuser/db-operator/internal/pod"
)

// Keys of the Secrets that the operator reads back.
const (
	PasswordKey     = "password"
	AuthorityCert   = "ca.crt"
	AuthorityKey    = "ca.key"
	bindingType     = corev1.SecretType("servicebinding.io/")
	bindingProvider = "db-operator"
)

// AppSecret is what an application needs to connect, as the Service Binding
// specification names it.
func (in Input) AppSecret(password string, authority []byte) *coreac.SecretApplyConfiguration {
	return in.secret(in.names().App(), bindingType+corev1.SecretType(in.Profile.BindingType()), in.binding(AppUser, password, authority))
}

// AdminSecret is the same for the administrator's account. Its type is not
// that of a binding, so that no tool hands it to an application.
func (in Input) AdminSecret(password string, authority []byte) *coreac.SecretApplyConfiguration {
	return in.secret(in.names().Admin(), corev1.SecretTypeOpaque, in.binding(AdminUser, password, authority))
}

func (in Input) binding(user, password string, authority []byte) map[string][]byte {
	connection := engine.Connection{
		Host:     in.names().Host(in.Database.Namespace),
		Port:     in.Profile.Port(),
		Database: AppDatabase,
		Username: user,
		Password: password,
	}
	data := map[string][]byte{
		"type":        []byte(in.Profile.BindingType()),
		"provider":    []byte(bindingProvider),
		"host":        []byte(connection.Host),
		"port":        []byte(strconv.Itoa(int(connection.Port))),
		"database":    []byte(connection.Database),
		"username":    []byte(connection.Username),
		PasswordKey:   []byte(connection.Password),
		AuthorityCert: authority,
	}
	for key, value := range in.Profile.Binding(connection) {
		data[key] = []byte(value)
	}
	return data
}

// AuthoritySecret keeps the key of the Database's CA. It is mounted nowhere.
func (in Input) AuthoritySecret(authority pki.Pair) *coreac.SecretApplyConfiguration {
	return in.secret(in.names().Authority(), corev1.SecretTypeOpaque, map[string][]byte{
		AuthorityCert: authority.Certificate,
		AuthorityKey:  authority.Key,
	})
}

// TLSSecret holds the members' key pairs: a StatefulSet cannot mount a Secret
// of its own into each pod.
func (in Input) TLSSecret(authority []byte, members []pki.Pair) *coreac.SecretApplyConfiguration {
	data := map[string][]byte{pod.CAFile: authority}
	for ordinal, pair := range members {
		cert, key := MemberKeys(ordinal)
		data[cert], data[key] = pair.Certificate, pair.Key
	}
	return in.secret(in.names().TLS(), corev1.SecretTypeOpaque, data)
}

// MemberKeys are the keys of TLSSecret with an ordinal's pair.
func MemberKeys(ordinal int) (cert, key string) {
	return strconv.Itoa(ordinal) + ".crt", strconv.Itoa(ordinal) + ".key"
}

// Member describes the certificate of an ordinal.
func (in Input) Member(ordinal int) pki.Member {
	n := in.names()
	return pki.Member{
		CommonName: n.Pod(ordinal),
		DNSNames:   n.DNSNames(in.Database.Namespace, in.Settings.ClusterDomain, ordinal),
	}
}

// PullSecret is the namespace's copy of the operator's image pull secrets,
// merged into one document.
func (in Input) PullSecret(dockerConfig []byte) *coreac.SecretApplyConfiguration {
	return in.secret(in.names().Pull(), corev1.SecretTypeDockerConfigJson, map[string][]byte{corev1.DockerConfigJsonKey: dockerConfig})
}

func (in Input) secret(name string, kind corev1.SecretType, data map[string][]byte) *coreac.SecretApplyConfiguration {
	return coreac.Secret(name, in.Database.Namespace).
		WithLabels(in.Labels()).
		WithOwnerReferences(in.owner()).
		WithType(kind).
		WithData(maps.Clone(data))
}
