// Package kube speaks to the API server over plain HTTP with the few verbs and
// fields that devcluster needs, so that building the tool stays a matter of
// seconds. It is no client library: no cache, no generated types.
package kube

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"
)

// Manager is the field manager of everything that devcluster applies.
const Manager = "devcluster"

// Client is one user's access to the API server.
type Client struct {
	server string
	token  string
	http   *http.Client
}

// New makes a client for the server's URL. It fails when the authority's
// certificate cannot be read; it does not connect.
func New(server, token, caFile string) (*Client, error) {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("reading the cluster's authority: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, fmt.Errorf("reading the cluster's authority: %s holds no certificate", caFile)
	}
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: 5 * time.Second,
		ForceAttemptHTTP2:   true,
	}
	return &Client{server: server, token: token, http: &http.Client{Transport: transport}}, nil
}

// StatusError is an answer of the API server other than 2xx.
type StatusError struct {
	Code    int
	Message string
}

func (e *StatusError) Error() string { return fmt.Sprintf("API server: %d %s", e.Code, e.Message) }

// IsCode tells whether err is the API server's answer with this HTTP code.
func IsCode(err error, code int) bool {
	var status *StatusError
	return errors.As(err, &status) && status.Code == code
}

// Get reads path into out (nil to ignore the body).
func (c *Client) Get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, "", nil, out)
}

// Create posts body to the collection at path.
func (c *Client) Create(ctx context.Context, path string, body, out any) error {
	return c.do(ctx, http.MethodPost, path, "application/json", body, out)
}

// Apply creates or changes the object at path by server-side apply.
func (c *Client) Apply(ctx context.Context, path string, body any) error {
	return c.do(ctx, http.MethodPatch, path+"?force=true&fieldManager="+Manager, "application/apply-patch+yaml", body, nil)
}

// Merge changes the object (or subresource) at path by JSON merge patch.
func (c *Client) Merge(ctx context.Context, path string, body any) error {
	return c.do(ctx, http.MethodPatch, path, "application/merge-patch+json", body, nil)
}

// Delete deletes the object at path. One that is gone is no error.
func (c *Client) Delete(ctx context.Context, path string) error {
	err := c.do(ctx, http.MethodDelete, path, "", nil, nil)
	if IsCode(err, http.StatusNotFound) {
		return nil
	}
	return err
}

// Event is one change that a watch reports.
type Event struct {
	Type   string          `json:"type"` // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
	Object json.RawMessage `json:"object"`
}

// Watch calls handle for every change of the collection at path, from the given
// resource version on. It blocks until the server ends the watch (nil), ctx
// ends, or handle fails.
func (c *Client) Watch(ctx context.Context, path, resourceVersion string, handle func(Event) error) error {
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	body, err := c.open(ctx, http.MethodGet, path+separator+"watch=true&allowWatchBookmarks=true&resourceVersion="+resourceVersion, "", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	decoder := json.NewDecoder(body)
	for {
		var event Event
		if err := decoder.Decode(&event); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("watching %s: %w", path, err)
		}
		if event.Type == "ERROR" {
			return fmt.Errorf("watching %s: %s", path, event.Object)
		}
		if err := handle(event); err != nil {
			return err
		}
	}
}

func (c *Client) do(ctx context.Context, method, path, contentType string, body, out any) error {
	answer, err := c.open(ctx, method, path, contentType, body)
	if err != nil {
		return err
	}
	defer answer.Close()
	if out == nil {
		_, err = io.Copy(io.Discard, answer)
		return err
	}
	if err := json.NewDecoder(answer).Decode(out); err != nil {
		return fmt.Errorf("decoding %s: %w", path, err)
	}
	return nil
}

func (c *Client) open(ctx context.Context, method, path, contentType string, body any) (io.ReadCloser, error) {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("encoding the body of %s: %w", path, err)
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.server+path, content)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", Manager)
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("asking for %s: %w", path, err)
	}
	if response.StatusCode/100 == 2 {
		return response.Body, nil
	}
	defer response.Body.Close()
	message, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
	var status struct{ Message string }
	if json.Unmarshal(message, &status) == nil && status.Message != "" {
		message = []byte(status.Message)
	}
	return nil, fmt.Errorf("asking for %s: %w", path, &StatusError{Code: response.StatusCode, Message: string(message)})
}
