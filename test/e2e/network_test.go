//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// clusterDNS is where the local cluster's name server listens.
const clusterDNS = "10.88.0.1:53"

// from dials out of a node's network namespace, so that the node's own
// kube-proxy serves the connection as it would serve a pod's.
type from struct{ namespace string }

// clusterDir is where the local cluster keeps its state.
const clusterDir = "/var/lib/devcluster"

// fromNode finds the namespace of a node.
func fromNode(node string) (from, error) {
	path := filepath.Join(clusterDir, "netns", node)
	if _, err := os.Stat(path); err != nil {
		return from{}, fmt.Errorf("finding the network namespace of %s: %w", node, err)
	}
	return from{path}, nil
}

// resolve asks the cluster's DNS as a pod would.
func resolve(ctx context.Context, host string) (string, error) {
	if net.ParseIP(host) != nil {
		return host, nil
	}
	resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, clusterDNS)
	}}
	if !strings.HasSuffix(host, ".cluster.local") {
		host += ".cluster.local."
	}
	addresses, err := resolver.LookupIP(ctx, "ip4", host)
	if err != nil {
		return "", err
	}
	return addresses[0].String(), nil
}

// DialContext opens a connection to host:port. The socket stays in the node's
// namespace after this thread has left it.
func (f from) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ip, err := resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	type result struct {
		conn net.Conn
		err  error
	}
	done := make(chan result, 1)
	go func() {
		// The thread is not unlocked: it changed its namespace, so it must end
		// with this goroutine.
		runtime.LockOSThread()
		target, err := os.Open(f.namespace)
		if err != nil {
			done <- result{nil, err}
			return
		}
		defer target.Close()
		if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
			done <- result{nil, fmt.Errorf("entering %s: %w", f.namespace, err)}
			return
		}
		conn, err := new(net.Dialer).DialContext(ctx, network, net.JoinHostPort(ip, port))
		done <- result{conn, err}
	}()
	r := <-done
	return r.conn, r.err
}
