package pki

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"net"
	"testing"
	"time"
)

var (
	now    = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	member = Member{CommonName: "shop-0", DNSNames: []string{"localhost", "shop", "shop.prod.svc"}}
)

func newAuthority(t *testing.T) *Authority {
	t.Helper()
	a, err := NewAuthority("prod/shop", now)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func issueMember(t *testing.T, a *Authority, m Member) Pair {
	t.Helper()
	pair, err := a.Member(m, now)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func pool(t *testing.T, pem []byte) *x509.CertPool {
	t.Helper()
	p := x509.NewCertPool()
	if !p.AppendCertsFromPEM(pem) {
		t.Fatal("no certificate in the authority's PEM")
	}
	return p
}

func TestOperatorAndMemberTrustEachOther(t *testing.T) {
	a, err := ParseAuthority(newAuthority(t).Pair())
	if err != nil {
		t.Fatal(err)
	}
	client, due, err := a.Operator(now)
	if err != nil {
		t.Fatal(err)
	}
	if !due.After(now) || due.Sub(now) > clientLifetime/2 {
		t.Errorf("the client certificate is renewed at %v", due)
	}
	pair := issueMember(t, a, member)
	serverKey, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	clientKey, err := tls.X509KeyPair(client.Certificate, client.Key)
	if err != nil {
		t.Fatal(err)
	}
	roots := pool(t, a.Pair().Certificate)
	at := func() time.Time { return now.Add(time.Hour) }
	near, far := net.Pipe()
	server := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{serverKey}, ClientCAs: roots, ClientAuth: tls.RequireAndVerifyClientCert, Time: at})
	caller := tls.Client(near, &tls.Config{Certificates: []tls.Certificate{clientKey}, RootCAs: roots, ServerName: "shop.prod.svc", Time: at})
	served := make(chan error, 1)
	go func() { served <- server.Handshake() }()
	if err := caller.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := <-served; err != nil {
		t.Fatal(err)
	}
	if got := server.ConnectionState().PeerCertificates[0].Subject.CommonName; got != OperatorName {
		t.Errorf("the member sees %q", got)
	}
}

func TestMemberRenewalDue(t *testing.T) {
	a, other := newAuthority(t), newAuthority(t)
	pair := issueMember(t, a, member)
	moved := member
	moved.DNSNames = []string{"localhost"}
	renamed := member
	renamed.CommonName = "shop-1"
	foreign := pair
	foreign.Key = issueMember(t, a, member).Key
	cases := map[string]struct {
		by   *Authority
		m    Member
		pair Pair
		want time.Time
	}{
		"eight months after it was issued":  {a, member, pair, now.Add(memberLifetime - memberRenewal)},
		"at once without a pair":            {a, member, Pair{}, time.Time{}},
		"at once with other names":          {a, moved, pair, time.Time{}},
		"at once under another common name": {a, renamed, pair, time.Time{}},
		"at once with another key":          {a, member, foreign, time.Time{}},
		"at once under another authority":   {other, member, pair, time.Time{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := c.by.MemberRenewalDue(c.m, c.pair); !got.Equal(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestRenewedAuthorityTrustsOldAndNewMembers(t *testing.T) {
	old := newAuthority(t)
	later := old.RenewalDue()
	renewed, err := old.Renewed(later)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(old.Pair().Certificate, renewed.Pair().Certificate) {
		t.Fatal("the certificate is the old one")
	}
	if !renewed.RenewalDue().After(later) {
		t.Errorf("the renewed authority is due again at %v", renewed.RenewalDue())
	}
	fresh, err := renewed.Member(member, later)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(roots []byte, leaf Pair, at time.Time) {
		t.Helper()
		certificate, err := parseCertificate(leaf.Certificate)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := certificate.Verify(x509.VerifyOptions{DNSName: "shop", Roots: pool(t, roots), CurrentTime: at}); err != nil {
			t.Error(err)
		}
	}
	verify(old.Pair().Certificate, fresh, later.Add(time.Hour))
	before, err := old.Member(member, later.Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	verify(renewed.Pair().Certificate, before, later.Add(time.Hour))
}

func TestPasswordsDiffer(t *testing.T) {
	if a, b := Password(), Password(); a == b || len(a) < 20 {
		t.Errorf("got %d and %d characters", len(a), len(b))
	}
}

func FuzzParseAuthority(f *testing.F) {
	a, err := NewAuthority("prod/shop", now)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(a.Pair().Certificate, a.Pair().Key)
	f.Add([]byte("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), []byte{})
	f.Fuzz(func(t *testing.T, certificate, key []byte) {
		if a, err := ParseAuthority(Pair{Certificate: certificate, Key: key}); err == nil {
			_ = a.MemberRenewalDue(member, Pair{Certificate: certificate, Key: key})
		}
	})
}
