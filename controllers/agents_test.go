package controllers

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pki"
)

// The operator and an agent know each other by the Database's own authority.
func TestAgentClientsSpeakMutualTLS(t *testing.T) {
	authority, err := pki.NewAuthority("prod/shop", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := pki.NewAuthority("prod/other", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	host := "shop-0.shop-members.prod.svc"
	address := serveAgent(t, authority, host)
	clients := &AgentClients{Now: time.Now}
	cases := map[string]struct {
		authority *pki.Authority
		host      string
		works     bool
	}{
		"the Database's own authority": {authority, host, true},
		"again, with what was kept":    {authority, host, true},
		"another Database's authority": {foreign, host, false},
		"another member's name":        {authority, "shop-1.shop-members.prod.svc", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			credential, err := clients.credential(c.authority.Pair())
			if err != nil {
				t.Fatal(err)
			}
			status, err := agentapi.NewClient(address, c.host, credential.pair, credential.roots).Status(t.Context())
			if works := err == nil && status.Member == pki.OperatorName; works != c.works {
				t.Errorf("got %+v, %v", status, err)
			}
		})
	}
	if len(clients.credentials) != 2 {
		t.Errorf("%d credentials are kept for two authorities", len(clients.credentials))
	}
}

// serveAgent answers with the common name of who asks.
func serveAgent(t *testing.T, authority *pki.Authority, host string) string {
	t.Helper()
	pair, err := authority.Member(pki.Member{CommonName: "shop-0", DNSNames: []string{host}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Pair().Certificate)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = json.NewEncoder(w).Encode(agentapi.Status{Member: r.TLS.PeerCertificates[0].Subject.CommonName})
	}))
	server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.Listener.Addr().(*net.TCPAddr).String()
}
