package enginetest

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/pki"
)

var tlsCases = []Case{
	{"clients verify the server, and none gets in without TLS", func(t *testing.T, m *Member) {
		m.Lead(t)
		stranger, err := pki.NewAuthority("another", time.Now())
		Must(t, err)
		login := m.Login(m.Access.App)
		Must(t, m.TryLogin(t.Context(), login))
		for name, config := range map[string]*tls.Config{
			"no TLS":          nil,
			"another CA":      {RootCAs: poolOf(stranger), ServerName: serverName},
			"another name":    {RootCAs: m.ca, ServerName: "other.shop.svc"},
			"TLS 1.1 at most": {RootCAs: m.ca, ServerName: serverName, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		} {
			login.TLS = config
			if err := m.TryLogin(t.Context(), login); err == nil {
				t.Errorf("%s: it got in", name)
			}
		}
		login.TLS = &tls.Config{RootCAs: m.ca, ServerName: serverName, MaxVersion: tls.VersionTLS12}
		Must(t, m.TryLogin(t.Context(), login))
	}},
	{"a new certificate is served without a restart", func(t *testing.T, m *Member) {
		m.Lead(t)
		pid := m.Child.Pid()
		session, err := m.Client(t).Conn(t.Context())
		Must(t, err)
		defer session.Close()
		for range 2 {
			want := m.renewCertificate(t)
			Must(t, m.Driver.ReloadCertificates(m.Context(t, verbTime)))
			if got := m.servedSerial(t); got != want {
				t.Errorf("serial number %s is served, want %s", got, want)
			}
		}
		if _, err := session.ExecContext(t.Context(), "SELECT 1"); err != nil {
			t.Errorf("an old session ended: %v", err)
		}
		select {
		case <-m.Child.Exited():
			t.Error("the engine ended")
		default:
			if m.Child.Pid() != pid {
				t.Error("it is another process")
			}
		}
	}},
	{"clients get in over IPv4 and IPv6", func(t *testing.T, m *Member) {
		m.Lead(t)
		login := m.Login(m.Access.App)
		for _, host := range []string{"127.0.0.1", "::1"} {
			login.Address = net.JoinHostPort(host, strconv.Itoa(int(m.Engine.Profile.Port())))
			if err := m.TryLogin(t.Context(), login); err != nil {
				t.Errorf("%s: %v", host, err)
			}
		}
	}},
}

func poolOf(a *pki.Authority) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.Pair().Certificate)
	return pool
}

// servedSerial is that of the certificate which a new client is shown.
func (m *Member) servedSerial(t *testing.T) string {
	t.Helper()
	serial := ""
	login := m.Login(m.Access.App)
	login.TLS.VerifyConnection = func(s tls.ConnectionState) error {
		serial = s.PeerCertificates[0].SerialNumber.String()
		return nil
	}
	Must(t, m.TryLogin(t.Context(), login))
	return serial
}

func expectUnwritten(t *testing.T, m *Member, secrets ...string) {
	t.Helper()
	for _, line := range m.logged() {
		for _, secret := range secrets {
			if strings.Contains(line.text, secret) {
				t.Errorf("the log shows a password: %q", line.text)
			}
		}
	}
}
