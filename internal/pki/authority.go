package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"math/big"
	"time"
)

// Lifetimes. Everything is renewed long before its end, so that an operator
// which was away for months finds nothing expired.
const (
	authorityLifetime = 10 * 365 * 24 * time.Hour
	authorityRenewal  = 2 * 365 * 24 * time.Hour // this long before the end

	memberLifetime = 365 * 24 * time.Hour
	memberRenewal  = 120 * 24 * time.Hour

	clientLifetime = 7 * 24 * time.Hour
	clientRenewal  = 6 * 24 * time.Hour

	// skew allows for clocks of nodes that are behind.
	skew = 5 * time.Minute
)

// Pair is a certificate and its private key, both as PEM.
type Pair struct {
	Certificate, Key []byte
}

// Authority signs for one Database.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pair        Pair
}

// NewAuthority makes a CA with a new key. The name is only displayed.
func NewAuthority(name string, now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the key of the authority: %w", err)
	}
	return signAuthority(name, key, now)
}

// ParseAuthority reads what Pair returned.
func ParseAuthority(pair Pair) (*Authority, error) {
	certificate, err := parseCertificate(pair.Certificate)
	if err != nil {
		return nil, fmt.Errorf("reading the authority: %w", err)
	}
	key, err := parseKey(pair.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the authority: %w", err)
	}
	if !certificate.IsCA || !key.PublicKey.Equal(certificate.PublicKey) {
		return nil, fmt.Errorf("reading the authority: certificate and key do not belong together")
	}
	return &Authority{certificate: certificate, key: key, pair: pair}, nil
}

// Pair is the PEM form, to be kept.
func (a *Authority) Pair() Pair { return a.pair }

// RenewalDue is when Renewed should be called.
func (a *Authority) RenewalDue() time.Time { return a.certificate.NotAfter.Add(-authorityRenewal) }

// Renewed is the same authority, key and name with a later end.
func (a *Authority) Renewed(now time.Time) (*Authority, error) {
	return signAuthority(a.certificate.Subject.CommonName, a.key, now)
}

func signAuthority(name string, key *ecdsa.PrivateKey, now time.Time) (*Authority, error) {
	template := &x509.Certificate{
		Subject:               pkix.Name{CommonName: name},
		NotBefore:             now.Add(-skew),
		NotAfter:              now.Add(authorityLifetime),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
	}
	pair, err := sign(template, template, key, key)
	if err != nil {
		return nil, fmt.Errorf("signing the authority: %w", err)
	}
	return ParseAuthority(pair)
}

// issue makes a new key and a certificate for it.
func (a *Authority) issue(template *x509.Certificate) (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("making the key of %s: %w", template.Subject.CommonName, err)
	}
	pair, err := sign(template, a.certificate, key, a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing %s: %w", template.Subject.CommonName, err)
	}
	return pair, nil
}

func sign(template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) (Pair, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return Pair{}, fmt.Errorf("drawing a serial number: %w", err)
	}
	template.SerialNumber = serial
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		return Pair{}, err
	}
	return encode(der, key)
}
