package pki_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"os"
	"path/filepath"
	"testing"

	"github.com/myuser/db-operator/devcluster/pki"
)

func TestCertificatesVerifyForTheirHosts(t *testing.T) {
	dir := t.TempDir()
	authority, err := pki.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := authority.Issue("server", pkix.Name{CommonName: "s"}, "example.test", "10.88.0.1"); err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "server.crt"), filepath.Join(dir, "server.key"))
	if err != nil {
		t.Fatal(err)
	}
	ca, err := os.ReadFile(authority.CertificateFile())
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(ca)
	for host, want := range map[string]bool{"example.test": true, "10.88.0.1": true, "other.test": false} {
		_, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host})
		if (err == nil) != want {
			t.Errorf("verifying for %s: %v", host, err)
		}
	}
}

func TestAuthorityIsKeptWhenItIsOpenedAgain(t *testing.T) {
	dir := t.TempDir()
	read := func() string {
		authority, err := pki.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(authority.CertificateFile())
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	if first, second := read(), read(); first != second {
		t.Error("opening an authority again made another")
	}
	if err := os.WriteFile(filepath.Join(dir, "ca.crt"), []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := pki.Open(dir); err == nil {
		t.Error("a broken authority was opened")
	}
}
