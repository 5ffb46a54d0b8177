package mysql

import (
	"slices"

	"github.com/myuser/db-operator/internal/engine"
)

// Profile implements engine.Profile. Its zero value is ready.
type Profile struct{}

var _ engine.Profile = Profile{}

// Port is where clients connect.
const Port = 3306

// SystemUser is the operating system user of the stock image and, by socket
// authentication, the one local account with every right.
const SystemUser = "mysql"

func (Profile) Name() string        { return "mysql" }
func (Profile) Port() int32         { return Port }
func (Profile) BindingType() string { return "mysql" }

// User: the stock image makes group and user mysql with this number
// (docker-library/mysql, Dockerfile.oracle).
func (Profile) User() (string, int64) { return SystemUser, 999 }

func (Profile) Image(version string) string { return "library/mysql:" + version }

func (p Profile) Resolve(version string) (engine.Version, error) {
	v, _, err := resolve(version)
	return v, err
}

func (p Profile) CheckParameters(version string, parameters map[string]string) []engine.ParameterProblem {
	_, s, err := resolve(version)
	if err != nil {
		return nil // the version is reported by Resolve; nothing is applied meanwhile
	}
	var problems []engine.ParameterProblem
	for name, value := range parameters {
		if reason := refusal(s, name, value); reason != "" {
			problems = append(problems, engine.ParameterProblem{Name: name, Reason: reason})
		}
	}
	slices.SortFunc(problems, func(a, b engine.ParameterProblem) int {
		if a.Name < b.Name {
			return -1
		}
		return 1 // names are keys of one map: never equal
	})
	return problems
}
