package agent

import (
	"log/slog"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/pod"
	"github.com/myuser/db-operator/internal/register"
)

// Options is everything that an agent is given from outside.
type Options struct {
	// Pod is the pod's name; its ordinal stands after the last dash.
	Pod, Namespace, Node string
	IPs                  []netip.Addr
	Memory               int64 // bytes the container may use; 0 = unknown
	// Version of this program.
	Version string
	Layout  Layout
	// Engines makes the driver of each engine, by the name in spec.engine.
	Engines map[string]func(engine.Paths) engine.Driver
	Client  *register.Client
	// Executable and its arguments start the guardian.
	Executable   string
	GuardianArgs []string
	// API and Metrics are the addresses to listen on.
	API, Metrics string
	Logger       *slog.Logger
}

// Layout is where things are in the file system.
type Layout struct {
	Data, Agent, Tmp, Run, AgentRun string
	Spec, TLS, App, Admin           string
}

// DefaultLayout is the pod's, below root; a pod's root is "/".
func DefaultLayout(root string) Layout {
	at := func(path string) string { return filepath.Join(root, path) }
	return Layout{
		Data: at(pod.DataDir), Agent: at(pod.AgentDir), Tmp: at(pod.TmpDir),
		Run: at(pod.RunMount), AgentRun: at(pod.AgentRun),
		Spec: at(pod.SpecMount), TLS: at(pod.TLSMount), App: at(pod.AppMount), Admin: at(pod.AdminMount),
	}
}

// paths are those of the engine.
func (l Layout) paths() engine.Paths {
	return engine.Paths{DataDir: l.Data, ConfigDir: filepath.Join(l.AgentRun, "config"), TmpDir: l.Tmp, RunDir: l.Run}
}

// certificates is where the engine finds its key pair: a folder of its own,
// because mounted files belong to root and engines insist on owning their key.
func (l Layout) certificates() string { return filepath.Join(l.AgentRun, "tls") }

// ordinal is the pod's number in its StatefulSet; false if it has none.
func ordinal(podName string) (int, bool) {
	n, err := strconv.Atoi(podName[strings.LastIndexByte(podName, '-')+1:])
	return n, err == nil && n >= 0
}
