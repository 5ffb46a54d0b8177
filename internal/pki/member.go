package pki

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net"
	"slices"
	"time"
)

// OperatorName is the common name of the operator's client certificate. No
// member can have it: theirs end in an ordinal.
const OperatorName = "operator"

// Member describes one member's certificate, with which it serves clients and
// other members and calls other members.
type Member struct {
	// CommonName is the whole subject: engines compare it.
	CommonName string
	// DNSNames are all names by which clients may call it, sorted.
	DNSNames []string
}

// loopback addresses are in every member's certificate, for people who forward
// a port or work inside the pod.
var loopback = []net.IP{net.IPv4(127, 0, 0, 1).To4(), net.IPv6loopback}

// Member issues a key pair.
func (a *Authority) Member(m Member, now time.Time) (Pair, error) {
	return a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: m.CommonName},
		DNSNames:    m.DNSNames,
		IPAddresses: loopback,
		NotBefore:   now.Add(-skew),
		NotAfter:    earlier(now.Add(memberLifetime), a.certificate.NotAfter),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
}

// MemberRenewalDue is when the pair should be issued anew. It is the zero time
// if the pair cannot be used for m at all: unreadable, signed by another
// authority, or for other names.
func (a *Authority) MemberRenewalDue(m Member, pair Pair) time.Time {
	certificate, err := parseCertificate(pair.Certificate)
	if err != nil {
		return time.Time{}
	}
	key, err := parseKey(pair.Key)
	if err != nil || !key.PublicKey.Equal(certificate.PublicKey) {
		return time.Time{}
	}
	if certificate.CheckSignatureFrom(a.certificate) != nil ||
		certificate.Subject.CommonName != m.CommonName ||
		!slices.Equal(certificate.DNSNames, m.DNSNames) {
		return time.Time{}
	}
	return certificate.NotAfter.Add(-memberRenewal)
}

// Operator issues the operator's client certificate and says when to ask again.
func (a *Authority) Operator(now time.Time) (pair Pair, renewalDue time.Time, err error) {
	pair, err = a.issue(&x509.Certificate{
		Subject:     pkix.Name{CommonName: OperatorName},
		NotBefore:   now.Add(-skew),
		NotAfter:    now.Add(clientLifetime),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return pair, now.Add(clientLifetime - clientRenewal), err
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
