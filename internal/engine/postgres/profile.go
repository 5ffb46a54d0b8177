package postgres

import "github.com/myuser/db-operator/internal/engine"

// Names that configuration and driver share.
const (
	// Superuser is the role of the agent and of people in the pod. It logs in
	// through the unix socket only, by the name of the operating system user.
	Superuser = "postgres"
	// SocketDir, below Paths.RunDir, is where stock clients look when RunDir
	// is /run.
	SocketDir = "postgresql"
	// ConfigFile, HBAFile and IdentFile are below Paths.ConfigDir.
	ConfigFile = "postgresql.conf"
	HBAFile    = "pg_hba.conf"
	IdentFile  = "pg_ident.conf"

	port = 5432
)

// Profile implements engine.Profile.
type Profile struct{}

var _ engine.Profile = Profile{}

// Name implements engine.Profile.
func (Profile) Name() string { return "postgres" }

// Port implements engine.Profile.
func (Profile) Port() int32 { return port }

// BindingType implements engine.Profile.
func (Profile) BindingType() string { return "postgresql" }

// User implements engine.Profile: the stock Debian image's user.
func (Profile) User() (name string, uid int64) { return Superuser, 999 }

// Image implements engine.Profile.
func (Profile) Image(version string) string { return "library/postgres:" + version }

// Files implements engine.Profile.
func (p Profile) Files(c engine.Config) ([]engine.File, error) {
	v, err := p.Resolve(c.Version)
	if err != nil {
		return nil, err
	}
	files := []engine.File{
		{Name: HBAFile, Content: hba(c)},
		{Name: IdentFile, Content: ident(c)},
	}
	return append(files, engine.File{Name: ConfigFile, Content: conf(c, v.Series, files)}), nil
}
