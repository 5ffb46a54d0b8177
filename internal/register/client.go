package register

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// serviceAccount is where kubelet projects the pod's identity.
const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount"

const (
	// readTimeout and writeTimeout are those of the protocol: an answer that
	// takes longer is no answer. A write that is given up is read again.
	readTimeout  = 1500 * time.Millisecond
	writeTimeout = 700 * time.Millisecond
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 1 << 20
)

// Client speaks to the API server as the pod's service account. Its zero value
// is of no use; it is safe for concurrent use.
type Client struct {
	// URL is the API server's, without a path.
	URL string
	// TokenFile and CAFile are read again for every request, since both are
	// exchanged while the pod runs. TokenFile may be empty.
	TokenFile, CAFile string

	mu        sync.Mutex
	ca        []byte
	transport *http.Transport
}

// InCluster is the client of a pod. It fails outside of one.
func InCluster() (*Client, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return nil, errors.New("finding the API server: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set")
	}
	return &Client{
		URL:       "https://" + net.JoinHostPort(host, port), // brackets an IPv6 address
		TokenFile: filepath.Join(serviceAccount, "token"),
		CAFile:    filepath.Join(serviceAccount, "ca.crt"),
	}, nil
}

// answerError is an HTTP status that is not a success.
type answerError struct {
	Code    int
	Message string
}

func (e *answerError) Error() string { return fmt.Sprintf("HTTP status %d: %s", e.Code, e.Message) }

// get reads one object. Without a resourceVersion parameter the API server
// answers with the newest state, never from a cache.
func (c *Client) get(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	return c.do(ctx, http.MethodGet, path, nil)
}

// put replaces one object, if it is still the version that body says.
func (c *Client) put(ctx context.Context, path string, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	return c.do(ctx, http.MethodPut, path, body)
}

func (c *Client) do(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	transport, err := c.current()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "db-operator-agent")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.TokenFile != "" {
		token, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("reading the service account's token: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+string(bytes.TrimSpace(token)))
	}
	// RoundTrip and not a Client: a redirect is never followed.
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		return nil, &answerError{answer.StatusCode, statusMessage(content)}
	}
	return content, nil
}

// statusMessage is the message of a metav1.Status, or the start of whatever a
// proxy in between has answered.
func statusMessage(content []byte) string {
	var status struct{ Message string }
	if json.Unmarshal(content, &status) == nil && status.Message != "" {
		return status.Message
	}
	return string(content[:min(len(content), 200)])
}

// current is the transport for the CA that is in the file now. HTTP/1.1, so
// that giving up a request closes its connection and the next one dials anew.
func (c *Client) current() (*http.Transport, error) {
	ca, err := os.ReadFile(c.CAFile)
	if err != nil {
		return nil, fmt.Errorf("reading the API server's CA: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.transport != nil && bytes.Equal(ca, c.ca) {
		return c.transport, nil
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("reading the API server's CA: no certificate in %s", c.CAFile)
	}
	if c.transport != nil {
		c.transport.CloseIdleConnections()
	}
	c.ca = ca
	c.transport = &http.Transport{
		DialContext:         (&net.Dialer{Timeout: time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: time.Second,
		MaxIdleConns:        2,
		IdleConnTimeout:     2 * time.Minute, // longer than the pause between two reads
	}
	return c.transport, nil
}
