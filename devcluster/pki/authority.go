// Package pki makes the certificates of a cluster: one authority and what it
// signs. They are valid for ten years and made anew with each cluster. It knows
// nothing about who uses them.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const validity = 10 * 365 * 24 * time.Hour

// Authority signs certificates into one folder.
type Authority struct {
	dir         string
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// Open reads the authority in dir (ca.crt, ca.key) or makes it.
func Open(dir string) (*Authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the certificate folder: %w", err)
	}
	a := &Authority{dir: dir}
	if err := a.load(); !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	key, err := Key(filepath.Join(dir, "ca.key"))
	if err != nil {
		return nil, err
	}
	a.key = key
	template := template(pkix.Name{CommonName: "devcluster"})
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	a.certificate = template
	if err := a.sign("ca", template, key); err != nil {
		return nil, err
	}
	return a, a.load()
}

// CertificateFile is where the authority's own certificate is.
func (a *Authority) CertificateFile() string { return filepath.Join(a.dir, "ca.crt") }

// Issue makes NAME.crt and NAME.key for the subject, good as server for the
// hosts (names and addresses) and as client. An existing pair is kept.
func (a *Authority) Issue(name string, subject pkix.Name, hosts ...string) error {
	if _, err := os.Stat(filepath.Join(a.dir, name+".crt")); err == nil {
		return nil
	}
	key, err := Key(filepath.Join(a.dir, name+".key"))
	if err != nil {
		return err
	}
	template := template(subject)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return a.sign(name, template, key)
}

// Key makes an ECDSA key in PEM at path, or reads the one that is there.
func Key(path string) (*ecdsa.PrivateKey, error) {
	if content, err := os.ReadFile(path); err == nil {
		return parseKey(path, content)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("encoding a key: %w", err)
	}
	content := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return nil, fmt.Errorf("writing a key: %w", err)
	}
	return key, nil
}

// PublicKey writes the public half of a key in PEM to path.
func PublicKey(key *ecdsa.PrivateKey, path string) error {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		return fmt.Errorf("encoding a public key: %w", err)
	}
	content := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return fmt.Errorf("writing a public key: %w", err)
	}
	return nil
}

func (a *Authority) load() error {
	content, err := os.ReadFile(a.CertificateFile())
	if err != nil {
		return fmt.Errorf("reading the authority: %w", err)
	}
	block, _ := pem.Decode(content)
	if block == nil {
		return fmt.Errorf("reading the authority: %s holds no PEM block", a.CertificateFile())
	}
	if a.certificate, err = x509.ParseCertificate(block.Bytes); err != nil {
		return fmt.Errorf("reading the authority: %w", err)
	}
	a.key, err = Key(filepath.Join(a.dir, "ca.key"))
	return err
}

func (a *Authority) sign(name string, template *x509.Certificate, key *ecdsa.PrivateKey) error {
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, &key.PublicKey, a.key)
	if err != nil {
		return fmt.Errorf("signing the certificate %s: %w", name, err)
	}
	content := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	if err := os.WriteFile(filepath.Join(a.dir, name+".crt"), content, 0o644); err != nil {
		return fmt.Errorf("writing the certificate %s: %w", name, err)
	}
	return nil
}

func template(subject pkix.Name) *x509.Certificate {
	// The error of crypto/rand is always nil; it ends the program instead.
	serial, _ := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      subject,
		// Clocks of a machine that was suspended may be behind.
		NotBefore: time.Now().Add(-time.Hour),
		NotAfter:  time.Now().Add(validity),
	}
}

func parseKey(path string, content []byte) (*ecdsa.PrivateKey, error) {
	block, _ := pem.Decode(content)
	if block == nil {
		return nil, fmt.Errorf("reading the key %s: it holds no PEM block", path)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("reading the key %s: %w", path, err)
	}
	return key, nil
}
