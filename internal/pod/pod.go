// Package pod is the contract between the pod template that the operator
// writes and the agent that runs as PID 1 in it: where things are mounted,
// which ports are served and which environment variables are set. It holds
// constants only, so that both sides can import it.
package pod

// The container that runs the agent and, below it, the engine; and the init
// container that brings the agent's binary.
const (
	Container     = "engine"
	InitContainer = "agent"
)

// The member's volume. The engine's directory is apart from the agent's, so
// that cloning or rebuilding an engine never touches the member's identity.
const (
	DataVolume = "data"       // name of the volume and prefix of the claim
	DataMount  = "/data"      // where the volume is mounted
	DataDir    = "/data/data" // the engine's own directory
	AgentDir   = "/data/agent"
	TmpDir     = "/data/tmp" // initialisation happens here, then a rename
)

// Memory-backed and read-only mounts.
const (
	RunMount  = "/run"             // emptyDir in memory: sockets, key files
	AgentRun  = "/run/agent"       // the agent's own part of it
	ShmMount  = "/dev/shm"         // emptyDir in memory
	TmpMount  = "/tmp"             // emptyDir, for people's tools
	BinMount  = "/opt/db-operator" // emptyDir filled by the init container
	AgentPath = "/opt/db-operator/agent"
	Passwd    = "passwd" // file in BinMount, mounted over /etc/passwd
)

// What the operator projects into the pod.
const (
	SpecMount  = "/etc/db-operator/spec"  // ConfigMap <name>-config
	SpecFile   = "spec.json"              // an agentapi.Spec
	TLSMount   = "/etc/db-operator/tls"   // Secret <name>-tls: ca.crt, <ordinal>.crt, <ordinal>.key
	AppMount   = "/etc/db-operator/app"   // Secret <name>-app
	AdminMount = "/etc/db-operator/admin" // Secret <name>-admin
	CAFile     = "ca.crt"
)

// Ports of the pod; the engine's own comes from its profile.
const (
	EnginePortName = "engine"
	AgentPort      = 8443
	AgentPortName  = "agent"
	MetricsPort    = 9187
	MetricsName    = "metrics"
)

// Environment of the agent. MemoryBytes is the container's memory limit, or
// its request where there is no limit.
const (
	EnvName        = "POD_NAME"
	EnvNamespace   = "POD_NAMESPACE"
	EnvIP          = "POD_IP"
	EnvIPs         = "POD_IPS" // both families, comma-separated
	EnvNode        = "NODE_NAME"
	EnvMemoryBytes = "MEMORY_BYTES"
)

// Annotations shared by the operator and the agents.
const (
	// RecordAnnotation holds the ha.Record on the register.
	RecordAnnotation = "example.com/record"
	// BootstrapAnnotation on the register names the pod that may write the
	// first record.
	BootstrapAnnotation = "example.com/bootstrap"
	// TermAnnotation on an EndpointSlice is "<term>.<version>" of the record
	// its writer led by.
	TermAnnotation = "example.com/term"
	// ConfigAnnotation on a pod changes when its mounted files have: kubelet
	// then refreshes them at once instead of within a minute.
	ConfigAnnotation = "example.com/config-hash"
)
