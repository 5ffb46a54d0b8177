package controllers

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/pod"
)

var creating = cause{dbv1.ReasonCreating, "The objects of the Database are being made."}

// ready: the members asked for all serve.
func (s *scope) ready() verdict {
	blocked := s.notBlocked()
	switch {
	case len(s.leftover) > 0:
		return no(s.waitsForCleanup())
	case !s.allServe() && !blocked.good:
		return no(blocked.cause)
	case s.memberNeeds().any():
		return no(s.memberNeeds())
	case !s.deployed():
		return no(creating)
	case !s.allServe():
		return no(s.firstTrouble())
	case s.db.Spec.Replicas > desired.Members:
		return no(s.tooMany())
	case !blocked.good:
		return yes(dbv1.ReasonReady, "%d of %d members ready. What is wanted now is not in force: %s", desired.Members, s.db.Spec.Replicas, blocked.message)
	default:
		return yes(dbv1.ReasonReady, "%d of %d members ready.", desired.Members, s.db.Spec.Replicas)
	}
}

// memberNeeds is what a member says that only a person can cure.
func (s *scope) memberNeeds() cause {
	for ordinal, agent := range s.agents {
		if agent != nil && agentapi.NeedsSomebody(agent.Reason) {
			return s.trouble(ordinal)
		}
	}
	return cause{}
}

// engineRefusal is what the engine itself says of the parameters. Not every
// engine can be known well enough to tell before.
func (s *scope) engineRefusal() cause {
	for ordinal, agent := range s.agents {
		if agent != nil && agent.Reason == agentapi.ReasonConfigurationRefused {
			return cause{dbv1.ReasonInvalidParameters, s.trouble(ordinal).message}
		}
	}
	return cause{}
}

// available: the primary's gate is open.
func (s *scope) available() verdict {
	ordinal, leads := s.leader()
	switch {
	case leads:
		return yes(dbv1.ReasonAvailable, "%s takes writes.", s.names.Pod(ordinal))
	case len(s.leftover) > 0:
		return no(s.waitsForCleanup())
	case !s.deployed():
		return no(creating)
	default:
		return no(cause{dbv1.ReasonNoPrimary, "No member takes writes. " + s.firstTrouble().message})
	}
}

// durable: a write is on two disks before it is acknowledged, or one was
// asked for.
func (s *scope) durable() verdict {
	if s.db.Spec.Replicas > desired.Members {
		return no(s.tooMany())
	}
	return yes(dbv1.ReasonSingleMember, "One member is asked for: its volume holds the only copy.")
}

// upToDate: every member runs what spec and operator ask for. What an agent
// that does not answer runs is not known, and said of it is nothing.
func (s *scope) upToDate() verdict {
	switch {
	case s.refusal.any():
		return no(s.refusal)
	case s.notTaken().any():
		return no(s.notTaken())
	case !s.deployed():
		return no(creating)
	case len(s.replacing) > 0:
		return no(cause{dbv1.ReasonUpdating, fmt.Sprintf("The pod is replaced to take the new template: %s.", list(s.replacing))})
	case s.set.Status.ObservedGeneration < s.set.Generation:
		return no(cause{dbv1.ReasonUpdating, "The StatefulSet takes the new template."})
	case len(s.resizing()) > 0:
		return no(cause{dbv1.ReasonResizing, fmt.Sprintf("These volumes grow to %s: %s.", s.db.Spec.Storage, list(s.resizing()))})
	}
	if c := s.engineRefusal(); c.any() {
		return no(c)
	}
	for ordinal, agent := range s.agents {
		name := s.names.Pod(ordinal)
		switch {
		case agent == nil:
		case agent.SpecGeneration != s.db.Generation || s.mounted != "" && agent.ConfigHash != s.mounted:
			return no(cause{dbv1.ReasonUpdating, fmt.Sprintf("%s takes the new configuration.", name)})
		case len(agent.PendingRestart) > 0:
			return no(cause{dbv1.ReasonRestartPending, fmt.Sprintf("The engine of %s restarts to take these parameters: %s.", name, list(slices.Sorted(slices.Values(agent.PendingRestart))))})
		}
	}
	if s.db.Spec.Replicas > desired.Members {
		return no(s.tooMany())
	}
	if running := s.agentImage(); running != s.in.Settings.AgentImage {
		return no(cause{dbv1.ReasonAgentOutdated, "The members run an older agent. It is replaced with the next change of the spec that restarts them; to do it now, set the annotation " + desired.RestartAnnotation + " to a new value."})
	}
	return yes(dbv1.ReasonSettled, "The spec is in force.")
}

// agentImage is the one in the StatefulSet's template.
func (s *scope) agentImage() string {
	for _, container := range s.set.Spec.Template.Spec.InitContainers {
		if container.Name == pod.InitContainer {
			return container.Image
		}
	}
	return ""
}

// notBlocked: nothing waits for somebody outside the operator.
func (s *scope) notBlocked() verdict {
	if s.refusal.any() {
		return no(s.refusal)
	}
	for _, f := range s.failures {
		if c := explained(f.err); c.any() {
			return no(c)
		}
	}
	for _, c := range []cause{s.engineRefusal(), s.memberNeeds(), s.waitsFor()} {
		if c.any() {
			return no(c)
		}
	}
	return yes(dbv1.ReasonNotBlocked, "Nothing is lacking.")
}

// stalled: nothing goes on until somebody edits the Database.
func (s *scope) stalled() cause {
	if s.refusal.any() {
		return s.refusal
	}
	if c := s.notTaken(); c.any() {
		return c
	}
	if c := s.engineRefusal(); c.any() {
		return c
	}
	if s.db.Spec.Replicas > desired.Members {
		return s.tooMany()
	}
	return cause{}
}

// notTaken is what the API server itself refused, for good.
func (s *scope) notTaken() cause {
	for _, f := range s.failures {
		if c := explained(f.err); c.reason == dbv1.ReasonInvalidSpec || c.reason == dbv1.ReasonStorageCannotGrow {
			return c
		}
	}
	return cause{}
}

// reconciling: work is under way.
func (s *scope) reconciling() cause {
	if s.refusal.any() || s.notTaken().any() || s.engineRefusal().any() {
		return cause{}
	}
	switch up := s.upToDate(); {
	case up.good, up.reason == dbv1.ReasonAgentOutdated, up.reason == dbv1.ReasonReplicationNotSupported:
	default:
		return up.cause
	}
	if ready := s.ready(); !s.allServe() {
		return ready.cause
	}
	return cause{}
}

// settled tells that the next change comes from outside.
func (s *scope) settled() bool {
	if len(s.failures) > 0 || len(s.leftover) > 0 || !s.allServe() || s.reconciling().any() {
		return false
	}
	for ordinal := range int(desired.Members) {
		if s.agents[ordinal] == nil {
			return false
		}
	}
	return true
}

func (s *scope) allServe() bool {
	if !s.deployed() {
		return false
	}
	for ordinal := range int(desired.Members) {
		if !s.serves(ordinal) {
			return false
		}
	}
	return true
}

func (s *scope) tooMany() cause {
	return cause{dbv1.ReasonReplicationNotSupported, fmt.Sprintf(
		"%d members are asked for, and this release of the operator runs one. Write replicas: 1, or wait for a release with replication.", s.db.Spec.Replicas)}
}

func (s *scope) waitsForCleanup() cause {
	left := slices.Sorted(slices.Values(s.leftover))
	return cause{dbv1.ReasonCreating, fmt.Sprintf("Objects of a deleted Database of this name are still being removed: %s.", list(left))}
}

// firstTrouble is that of the first member that does not serve.
func (s *scope) firstTrouble() cause {
	for ordinal := range int(desired.Members) {
		if !s.serves(ordinal) {
			return s.trouble(ordinal)
		}
	}
	return cause{dbv1.ReasonNoPrimary, "The members have not chosen a primary yet."}
}

// trouble says why a member does not serve.
func (s *scope) trouble(ordinal int) cause {
	name, member, agent := s.names.Pod(ordinal), s.pods[ordinal], s.agents[ordinal]
	reason := dbv1.ReasonMembersNotReady
	if s.db.Status.Term == 0 {
		reason = dbv1.ReasonInitializing
	}
	switch {
	case member == nil:
		return cause{reason, fmt.Sprintf("Pod %s is being made.", name)}
	case member.DeletionTimestamp != nil:
		return cause{reason, fmt.Sprintf("Pod %s ends, and a new one follows.", name)}
	case agent != nil && agent.Reason != "":
		return cause{agent.Reason, fmt.Sprintf("%s: %s", name, agent.Message)}
	case agent != nil:
		return cause{reason, fmt.Sprintf("%s is not ready yet.", name)}
	case member.Status.Phase == corev1.PodPending:
		return cause{reason, fmt.Sprintf("Pod %s starts.", name)}
	default:
		return cause{reason, fmt.Sprintf("The agent of %s does not answer. It is asked again.", name)}
	}
}
