package engine

import "fmt"

// Profile is what is known about an engine without running it. All methods are
// pure.
type Profile interface {
	// Name is the value of spec.engine.
	Name() string
	// Port is where clients connect.
	Port() int32
	// BindingType is the type in the binding Secret and the suffix of its
	// Secret type: servicebinding.io/<type>.
	BindingType() string
	// User is the operating system user of the stock image: its name must
	// stand in the pod's passwd file, its uid is the default runAsUser.
	User() (name string, uid int64)
	// Image is the stock image for a version, without a registry:
	// library/<repository>:<version>.
	Image(version string) string
	// Resolve maps spec.version to what we know about it. The error is an
	// *UnsupportedVersion, whose text says which versions may be written
	// instead.
	Resolve(version string) (Version, error)
	// CheckParameters lists what is wrong with the user's settings for this
	// version, sorted by name; empty means they can be used.
	CheckParameters(version string, parameters map[string]string) []ParameterProblem
	// Files renders the engine's configuration. The agent writes them below
	// Config.ConfigDir before every start and on every change.
	Files(c Config) ([]File, error)
	// Binding renders the connection data that the binding Secret carries in
	// addition to type, provider, host, port, database, username, password and
	// ca.crt: uri, jdbc-uri and, where the engine has such a file, pgpass or
	// its like. Every value is escaped as its format asks.
	Binding(c Connection) map[string]string
}

// Version is a supported version as the profile understands it.
type Version struct {
	// Series is what pod images of one on-disk format share: "17", "8.4".
	Series string
	// Patch is the part below the series as written, empty if none was.
	Patch string
}

// UnsupportedVersion says what may be written instead.
type UnsupportedVersion struct {
	Engine, Version string
	Supported       []string // series, in order
}

func (e *UnsupportedVersion) Error() string {
	return fmt.Sprintf("%s %q is not supported: write one of %q, or a patch version of one", e.Engine, e.Version, e.Supported)
}

// ParameterProblem is one refused setting and what to do about it.
type ParameterProblem struct {
	Name   string
	Reason string // a sentence that says what to write instead
}

// Config is everything that configuration files depend on.
type Config struct {
	Version string // spec.version
	Member  string // pod name
	Ordinal int    // 0..4
	// ClusterUID is the Database's own, a UUID in lower case that stays for
	// the life of its data. Engines may mark their sessions with it.
	ClusterUID string
	ServerID   uint32            // unique per member and incarnation, not 0
	Memory     int64             // bytes the container may use; 0 = unknown
	Parameters map[string]string // checked by CheckParameters
	Paths      Paths
	// Certificates: file names with the member's key pair and the CA.
	CertFile, KeyFile, CAFile string
	// ReplicationSubjects are the common names of the members' certificates,
	// by ordinal.
	ReplicationSubjects []string
	// Gate is what clients may do, for engines whose gate is a file. A driver
	// puts its current gate here before it renders.
	Gate Gate
}

// Paths of one member. All are absolute and exist before any driver call,
// except DataDir, which Initialise makes.
type Paths struct {
	DataDir   string // the engine's own directory; absent until initialised
	ConfigDir string // files rendered by the profile
	TmpDir    string // on the same file system as DataDir
	RunDir    string // memory-backed: sockets and pid files go below it
}

// File is one rendered configuration file, named relative to Config.Paths.ConfigDir.
type File struct {
	Name    string
	Content string
}

// Connection is what a client needs to know.
type Connection struct {
	Host, Database, Username, Password string
	Port                               int32
}
