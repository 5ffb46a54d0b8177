package enginetest

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/pki"
)

// serverName is in the member's certificate; clients verify it.
const serverName = "db.shop.svc"

// certificates are those of the member's Database.
type certificates struct {
	authority *pki.Authority
	ca        *x509.CertPool
}

func (m *Member) makeCertificates(t *testing.T, root string) {
	t.Helper()
	authority, err := pki.NewAuthority("shop/db", time.Now())
	Must(t, err)
	m.authority, m.ca = authority, x509.NewCertPool()
	m.ca.AppendCertsFromPEM(authority.Pair().Certificate)
	m.Config.CAFile = filepath.Join(root, "ca.crt")
	m.Config.CertFile, m.Config.KeyFile = filepath.Join(root, "tls.crt"), filepath.Join(root, "tls.key")
	Must(t, os.WriteFile(m.Config.CAFile, authority.Pair().Certificate, 0o600))
	m.renewCertificate(t)
}

// renewCertificate writes a new key pair of the member itself and returns its
// serial number.
func (m *Member) renewCertificate(t *testing.T) string {
	t.Helper()
	pair := issue(t, m.authority, m.Config.Member)
	Must(t, os.WriteFile(m.Config.CertFile, pair.Certificate, 0o600))
	Must(t, os.WriteFile(m.Config.KeyFile, pair.Key, 0o600))
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	Must(t, err)
	return certificate.Leaf.SerialNumber.String()
}

func issue(t *testing.T, authority *pki.Authority, commonName string) pki.Pair {
	t.Helper()
	pair, err := authority.Member(pki.Member{CommonName: commonName, DNSNames: []string{serverName}}, time.Now())
	Must(t, err)
	return pair
}

// VerifyFull is the configuration of a client that has the CA and the name.
func (m *Member) VerifyFull() *tls.Config {
	return &tls.Config{RootCAs: m.ca, ServerName: serverName}
}

// withCertificate is VerifyFull with a client certificate of this name.
func (m *Member) withCertificate(t *testing.T, authority *pki.Authority, commonName string) *tls.Config {
	t.Helper()
	pair := issue(t, authority, commonName)
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	Must(t, err)
	config := m.VerifyFull()
	config.Certificates = []tls.Certificate{certificate}
	return config
}
