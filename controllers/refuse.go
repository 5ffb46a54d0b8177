package controllers

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/pod"
)

// cause is a reason for machines and a sentence for people, which says what is
// wrong and what to do.
type cause struct {
	reason, message string
}

func (c cause) any() bool { return c.reason != "" }

// refuse finds the first thing for which the spec cannot be carried out. It is
// pure. What it refuses is not begun: nothing is changed meanwhile.
func refuse(s *scope) cause {
	for _, check := range []func(*scope) cause{
		names, keptEngine, version, versionChange, parameters, scheduling, storage,
	} {
		if c := check(s); c.any() {
			return c
		}
	}
	return cause{}
}

func names(s *scope) cause {
	if len(s.taken) == 0 {
		return cause{}
	}
	slices.Sort(s.taken)
	return cause{dbv1.ReasonNameConflict, fmt.Sprintf(
		"%s of namespace %s does not belong to this Database and is left as it is. Remove or rename it, or create the Database under another name.",
		strings.Join(s.taken, ", "), s.db.Namespace)}
}

func keptEngine(s *scope) cause {
	for ordinal, claim := range s.claims {
		if claim == nil {
			continue
		}
		if kept := claim.Labels[desired.EngineLabel]; kept != string(s.db.Spec.Engine) {
			return cause{dbv1.ReasonEngineMismatch, fmt.Sprintf(
				"The kept volume %s holds data of %s. Write engine: %s to use it, or create the Database under another name.",
				s.names.Claim(ordinal), kept, kept)}
		}
	}
	return cause{}
}

func version(s *scope) cause {
	if s.in.Profile == nil {
		return cause{dbv1.ReasonUnsupportedVersion, fmt.Sprintf(
			"This release of the operator does not know the engine %q. Install the release that made the Database, or a newer one.", s.db.Spec.Engine)}
	}
	_, err := s.in.Profile.Resolve(s.db.Spec.Version)
	if unsupported := new(engine.UnsupportedVersion); errors.As(err, &unsupported) {
		return cause{dbv1.ReasonUnsupportedVersion, fmt.Sprintf("spec.version: %v.", unsupported)}
	}
	if err != nil {
		return cause{dbv1.ReasonUnsupportedVersion, fmt.Sprintf("spec.version: %v.", err)}
	}
	return cause{}
}

// inForce is the version that the data is served with: that of the document
// the members were given last, or the one remembered with a kept volume.
func inForce(s *scope) string {
	if s.config != nil {
		if spec, err := agentapi.ParseSpec([]byte(s.config.Data[pod.SpecFile])); err == nil {
			return spec.Version
		}
	}
	if s.claims[0] != nil {
		return s.claims[0].Annotations[desired.VersionAnnotation]
	}
	return ""
}

func versionChange(s *scope) cause {
	before := inForce(s)
	from, err := s.in.Profile.Resolve(before)
	if err != nil {
		return cause{} // there is none, or one that this operator does not know any more
	}
	to, err := s.in.Profile.Resolve(s.db.Spec.Version)
	if err != nil {
		return cause{}
	}
	switch engine.Change(from, to) {
	case engine.AcrossSeries:
		return cause{dbv1.ReasonVersionChangeRefused, fmt.Sprintf(
			"The data is of version %q, and %q is of another series, whose files are different. Write version: %q again; to change the series, create another Database and move the data.",
			before, s.db.Spec.Version, before)}
	case engine.BackwardPatch:
		return cause{dbv1.ReasonVersionChangeRefused, fmt.Sprintf(
			"%q is older than %q, which runs. Write version: %q again, or a newer one of series %s.",
			s.db.Spec.Version, before, before, from.Series)}
	default:
		return cause{}
	}
}

func parameters(s *scope) cause {
	problems := s.in.Profile.CheckParameters(s.db.Spec.Version, dbv1.Plain(s.db.Spec.Parameters))
	if len(problems) == 0 {
		return cause{}
	}
	texts := make([]string, len(problems))
	for i, problem := range problems {
		texts[i] = fmt.Sprintf("spec.parameters.%s: %s", problem.Name, problem.Reason)
	}
	return cause{dbv1.ReasonInvalidParameters, strings.Join(texts, " ")}
}

func scheduling(s *scope) cause {
	if _, err := s.db.Spec.Scheduling.PodAffinity(); err != nil {
		return cause{dbv1.ReasonInvalidScheduling, fmt.Sprintf(
			"%v. Write it as in a pod: kubectl explain pod.spec.affinity.", err)}
	}
	return cause{}
}

func storage(s *scope) cause {
	want, err := resource.ParseQuantity(s.db.Spec.Storage)
	if err != nil {
		return cause{dbv1.ReasonInvalidSpec, fmt.Sprintf("spec.storage: %q is not a size. Write one with its unit, as in \"50Gi\".", s.db.Spec.Storage)}
	}
	for ordinal, claim := range s.claims {
		if claim == nil {
			continue
		}
		if have := claim.Status.Capacity.Storage(); have.Cmp(want) > 0 {
			return cause{dbv1.ReasonStorageCannotShrink, fmt.Sprintf(
				"Volume %s has %s, and volumes cannot shrink. Write storage: %q or more.",
				s.names.Claim(ordinal), have.String(), have.String())}
		}
	}
	return cause{}
}
