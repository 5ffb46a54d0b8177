package agentapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

const (
	// clientTimeout bounds one call. An agent answers from memory.
	clientTimeout = 3 * time.Second
	maxAnswer     = 1 << 20
)

// Client calls the agent of one member. It keeps no connection between calls,
// since a caller of a thousand agents asks each of them rarely.
type Client struct {
	url  string
	http http.Client
}

// NewClient does not connect yet. address is host:port and may be that of the
// pod; serverName is what the member's certificate must name:
// <pod>.<members>.<namespace>.svc. pair is a client certificate of the
// Database's CA.
func NewClient(address, serverName string, pair tls.Certificate, ca *x509.CertPool) *Client {
	return &Client{
		url: "https://" + address,
		http: http.Client{
			Timeout: clientTimeout,
			Transport: &http.Transport{
				DialContext:       (&net.Dialer{Timeout: clientTimeout}).DialContext,
				DisableKeepAlives: true,
				TLSClientConfig: &tls.Config{
					MinVersion:   tls.VersionTLS13,
					ServerName:   serverName,
					RootCAs:      ca,
					Certificates: []tls.Certificate{pair},
				},
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Status asks the agent about itself. It blocks for at most three seconds.
func (c *Client) Status(ctx context.Context) (Status, error) {
	content, err := c.call(ctx, http.MethodGet, PathStatus, nil)
	if err != nil {
		return Status{}, fmt.Errorf("asking an agent for its status: %w", err)
	}
	var s Status
	if err := json.Unmarshal(content, &s); err != nil {
		return Status{}, fmt.Errorf("asking an agent for its status: %w", err)
	}
	return s, nil
}

// Restart asks for one engine restart. It returns when the agent has taken the
// order, not when the engine is back; asking again for the same generation
// does nothing.
func (c *Client) Restart(ctx context.Context, r Restart) error {
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("asking an agent to restart its engine: %w", err)
	}
	if _, err := c.call(ctx, http.MethodPost, PathRestart, body); err != nil {
		return fmt.Errorf("asking an agent to restart its engine: %w", err)
	}
	return nil
}

func (c *Client) call(ctx context.Context, method, path string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.url+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		return nil, fmt.Errorf("HTTP status %d: %s", answer.StatusCode, bytes.TrimSpace(content))
	}
	return content, nil
}
