package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/pki"
)

const (
	// aliveLimit is how old the loop's last turn may be: it never waits for
	// anything, so a stop of ten seconds is a fault of the agent itself.
	aliveLimit   = 10 * time.Second
	maxRequest   = 64 << 10
	requestLimit = 10 * time.Second
)

// servers are the two listeners of an agent.
type servers struct{ api, metrics *http.Server }

// serve begins to answer. Certificates and CA are those of the last mounts at
// each new connection.
func serve(m *member) (*servers, error) {
	api, err := net.Listen("tcp", m.o.API)
	if err != nil {
		return nil, fmt.Errorf("serving the API: %w", err)
	}
	metrics, err := net.Listen("tcp", m.o.Metrics)
	if err != nil {
		return nil, fmt.Errorf("serving metrics: %w", errors.Join(err, api.Close()))
	}
	s := &servers{api: m.newServer(m.handler()), metrics: m.newServer(m.metricsHandler())}
	go func() { _ = s.api.Serve(tls.NewListener(api, m.tlsConfig())) }() // ends with close
	go func() { _ = s.metrics.Serve(metrics) }()
	return s, nil
}

func (m *member) newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadTimeout: requestLimit, WriteTimeout: requestLimit, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		// Handshakes that fail are the caller's business.
		ErrorLog: slog.NewLogLogger(m.log.Handler(), slog.LevelDebug),
	}
}

func (s *servers) close() {
	_ = s.api.Close()
	_ = s.metrics.Close()
}

// tlsConfig asks for a client certificate without insisting: probes have none.
// Whether one is good is decided per request.
func (m *member) tlsConfig() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		ClientAuth: tls.RequestClientCert,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			k := m.keys.Load()
			if k == nil {
				return nil, errors.New("no certificate has been read yet")
			}
			return &k.pair, nil
		},
	}
}

func (m *member) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+agentapi.PathLivez, m.livez)
	mux.HandleFunc("GET "+agentapi.PathReadyz, m.readyz)
	mux.HandleFunc("GET "+agentapi.PathStatus, m.authorised(m.getStatus))
	mux.HandleFunc("POST "+agentapi.PathRestart, m.authorised(m.postRestart))
	return mux
}

// livez is about the loop only: no state of engine, disk, register or
// replication restarts a pod.
func (m *member) livez(w http.ResponseWriter, _ *http.Request) {
	if age := time.Since(time.Unix(0, m.turned.Load())); age > aliveLimit {
		http.Error(w, fmt.Sprintf("the loop has not turned for %s", age.Round(time.Second)), http.StatusInternalServerError)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (m *member) readyz(w http.ResponseWriter, _ *http.Request) {
	s := m.status.Load()
	if !s.Ready {
		http.Error(w, s.Reason+": "+s.Message, http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

func (m *member) getStatus(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(m.status.Load()) // the caller is gone
}

func (m *member) postRestart(w http.ResponseWriter, r *http.Request) {
	var order agentapi.Restart
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxRequest)).Decode(&order); err != nil {
		http.Error(w, "the body is no restart: "+err.Error(), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), requestLimit/2)
	defer cancel()
	if err := m.askRestart(ctx, order.Generation); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// authorised lets in the operator and the members of this Database.
func (m *member) authorised(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		k := m.keys.Load()
		if k == nil || r.TLS == nil || len(r.TLS.PeerCertificates) == 0 {
			http.Error(w, "a client certificate of the Database's CA is needed", http.StatusUnauthorized)
			return
		}
		if err := trusted(r.TLS.PeerCertificates, k, time.Now()); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

// trusted checks a caller's chain. Between members the time is not enforced: a
// Database must not lose its members because nobody renewed a certificate, or
// because a clock is wrong. Its end is reported instead.
func trusted(chain []*x509.Certificate, k *keys, now time.Time) error {
	caller := chain[0]
	switch {
	case caller.Subject.CommonName == pki.OperatorName:
	case slices.Contains(subjects(databaseOf(k)), caller.Subject.CommonName):
		now = caller.NotBefore
	default:
		return fmt.Errorf("%q is neither the operator nor a member", caller.Subject.CommonName)
	}
	intermediates := x509.NewCertPool()
	for _, c := range chain[1:] {
		intermediates.AddCert(c)
	}
	_, err := caller.Verify(x509.VerifyOptions{
		Roots: k.roots, Intermediates: intermediates, CurrentTime: now,
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
	return err
}

// databaseOf is the name that this member's own certificate begins with.
func databaseOf(k *keys) string {
	name := k.pair.Leaf.Subject.CommonName
	if i := len(name) - 2; i > 0 && name[i] == '-' {
		return name[:i]
	}
	return name
}
