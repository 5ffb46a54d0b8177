package controllers

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pki"
	"github.com/myuser/db-operator/internal/pod"
)

// Agents talks to the agents of members. Both verbs block for some seconds at
// most, and an agent that is away is an error.
type Agents interface {
	Status(context.Context, Target) (agentapi.Status, error)
	Restart(context.Context, Target, agentapi.Restart) error
}

// Target is one member's agent.
type Target struct {
	Pod string
	// Address of the pod, and Host, the name that its certificate must bear.
	Address, Host string
	// Authority signs the operator's certificate, and has signed the member's.
	Authority pki.Pair
}

// AgentClients is Agents over mutual TLS. It makes itself a client certificate
// of each Database's authority, in memory, and renews it.
type AgentClients struct {
	Now func() time.Time

	mu          sync.Mutex
	credentials map[[sha256.Size]byte]credential
}

type credential struct {
	pair   tls.Certificate
	roots  *x509.CertPool
	expiry time.Time // when to make another one
}

// Status implements Agents.
func (a *AgentClients) Status(ctx context.Context, target Target) (agentapi.Status, error) {
	client, err := a.client(target)
	if err != nil {
		return agentapi.Status{}, err
	}
	return client.Status(ctx)
}

// Restart implements Agents.
func (a *AgentClients) Restart(ctx context.Context, target Target, order agentapi.Restart) error {
	client, err := a.client(target)
	if err != nil {
		return err
	}
	return client.Restart(ctx, order)
}

func (a *AgentClients) client(target Target) (*agentapi.Client, error) {
	c, err := a.credential(target.Authority)
	if err != nil {
		return nil, fmt.Errorf("making a certificate for %s: %w", target.Pod, err)
	}
	address := net.JoinHostPort(target.Address, strconv.Itoa(pod.AgentPort))
	return agentapi.NewClient(address, target.Host, c.pair, c.roots), nil
}

func (a *AgentClients) credential(pair pki.Pair) (credential, error) {
	now, key := a.Now(), sha256.Sum256(pair.Certificate)
	a.mu.Lock()
	defer a.mu.Unlock()
	if have, ok := a.credentials[key]; ok && now.Before(have.expiry) {
		return have, nil
	}
	authority, err := pki.ParseAuthority(pair)
	if err != nil {
		return credential{}, err
	}
	issued, renewal, err := authority.Operator(now)
	if err != nil {
		return credential{}, err
	}
	made := credential{roots: x509.NewCertPool(), expiry: renewal}
	if made.pair, err = tls.X509KeyPair(issued.Certificate, issued.Key); err != nil {
		return credential{}, err
	}
	if !made.roots.AppendCertsFromPEM(pair.Certificate) {
		return credential{}, errors.New("the authority's certificate cannot be read")
	}
	if a.credentials == nil {
		a.credentials = map[[sha256.Size]byte]credential{}
	}
	for old, c := range a.credentials { // those of deleted Databases
		if !now.Before(c.expiry) {
			delete(a.credentials, old)
		}
	}
	a.credentials[key] = made
	return made, nil
}
