package controllers

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
)

// status is what a pass tells. It is pure: all it knows is the scope.
//
// Of an agent that does not answer, the identity that it had is kept, and
// whether it serves is what kubelet says. Messages hold nothing that changes
// by itself, since each change is a write.
func status(s *scope) dbv1.DatabaseStatus {
	before := s.db.Status
	after := dbv1.DatabaseStatus{
		ObservedGeneration: s.db.Generation,
		Conditions:         slices.Clone(before.Conditions),
		ClusterUID:         before.ClusterUID,
		Term:               before.Term,
		Rule:               before.Rule,
		Version:            before.Version,
		LastSwitchover:     before.LastSwitchover,
		Members:            s.listMembers(),
		Selector:           labels.SelectorFromSet(s.in.Selector()).String(),
		Plan:               s.nextSteps(),
	}
	for ordinal := range s.pods {
		if s.pods[ordinal] != nil {
			after.Replicas++
		}
		if s.member(ordinal) && s.serves(ordinal) {
			after.ReadyReplicas++
		}
	}
	if s.app != nil {
		after.Binding = &dbv1.Binding{Name: s.app.Name}
	}
	s.lead(&after)

	condition(&after, s.now, dbv1.ConditionAvailable, s.available())
	condition(&after, s.now, dbv1.ConditionDurable, s.durable())
	condition(&after, s.now, dbv1.ConditionUpToDate, s.upToDate())
	condition(&after, s.now, dbv1.ConditionNotBlocked, s.notBlocked())
	ready := s.ready()
	condition(&after, s.now, dbv1.ConditionReady, ready)
	abnormal(&after, s.now, dbv1.ConditionStalled, s.stalled())
	abnormal(&after, s.now, dbv1.ConditionReconciling, s.reconciling())
	after.Ready = ready.good
	after.Phase = s.phase(after)
	return after
}

// verdict is a condition to be.
type verdict struct {
	good bool
	cause
}

func yes(reason, format string, args ...any) verdict {
	return verdict{true, cause{reason, fmt.Sprintf(format, args...)}}
}

func no(c cause) verdict { return verdict{false, c} }

func condition(status *dbv1.DatabaseStatus, now time.Time, kind string, v verdict) {
	value := metav1.ConditionFalse
	if v.good {
		value = metav1.ConditionTrue
	}
	meta.SetStatusCondition(&status.Conditions, metav1.Condition{
		Type: kind, Status: value, Reason: v.reason, Message: v.message, ObservedGeneration: status.ObservedGeneration,
		LastTransitionTime: metav1.NewTime(now), // taken only if the status is another one
	})
}

// abnormal conditions are there only while they are true, as kstatus has it.
func abnormal(status *dbv1.DatabaseStatus, now time.Time, kind string, c cause) {
	if !c.any() {
		meta.RemoveStatusCondition(&status.Conditions, kind)
		return
	}
	condition(status, now, kind, verdict{true, c})
}

// serves tells whether the member does its part and clients can reach it. The
// agent knows best; kubelet knows what the agent last told it.
func (s *scope) serves(ordinal int) bool {
	member := s.pods[ordinal]
	switch {
	case member == nil || member.DeletionTimestamp != nil:
		return false
	case s.agents[ordinal] != nil:
		return s.agents[ordinal].Serves()
	default:
		return podReady(member)
	}
}

func podReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// leader is the ordinal that takes writes. Without answers it is the only
// member, if that serves.
func (s *scope) leader() (int, bool) {
	if ordinal, found := s.primary(); found {
		return ordinal, s.serves(ordinal)
	}
	if desired.Members == 1 && s.agents[0] == nil && s.serves(0) {
		return 0, true
	}
	return 0, false
}

// lead fills in what is known of the lead.
func (s *scope) lead(after *dbv1.DatabaseStatus) {
	if ordinal, found := s.leader(); found {
		after.Primary = s.names.Pod(ordinal)
	}
	var newest *agentapi.Status
	for _, agent := range s.agents {
		if agent != nil && (newest == nil || agent.RecordVersion > newest.RecordVersion) {
			newest = agent
		}
	}
	if newest == nil {
		return
	}
	if newest.Term > 0 {
		after.Term = newest.Term
	}
	if newest.RecordVersion > 0 {
		// Before there is a record, the identity is one of an empty volume; a
		// member that lost its volume knows the record and no identity.
		after.ClusterUID = cmp.Or(newest.ClusterUID, after.ClusterUID)
		after.Rule = &dbv1.Rule{Version: newest.RecordVersion, Members: s.podsOf(newest.RuleMembers), Acks: int32(newest.RuleAcks)}
	}
	if newest.EngineVersion != "" {
		after.Version = newest.EngineVersion
	}
}

// podsOf turns uids of members into their pods; an unknown one stays as it is.
func (s *scope) podsOf(uids []string) []string {
	known := map[string]string{}
	for _, member := range s.db.Status.Members {
		known[member.UID] = member.Name
	}
	for ordinal, agent := range s.agents {
		if agent != nil {
			known[agent.UID] = s.names.Pod(ordinal)
		}
	}
	pods := make([]string, len(uids))
	for i, uid := range uids {
		pods[i] = uid
		if name := known[uid]; name != "" {
			pods[i] = name
		}
	}
	slices.Sort(pods)
	return pods
}

func (s *scope) listMembers() []dbv1.Member {
	if !s.deployed() {
		return nil
	}
	var all []dbv1.Member
	for ordinal := range int(desired.Members) {
		member := dbv1.Member{Name: s.names.Pod(ordinal), Ready: s.serves(ordinal)}
		for _, was := range s.db.Status.Members {
			if was.Name == member.Name {
				member.UID, member.EngineVersion, member.Position = was.UID, was.EngineVersion, was.Position
			}
		}
		if agent := s.agents[ordinal]; agent != nil {
			member.UID, member.Role = agent.UID, dbv1.Role(agent.Role)
			member.Position, member.EngineVersion = agent.Position, agent.EngineVersion
			member.Reason = agent.Reason
		}
		if !member.Ready {
			member.Reason = s.trouble(ordinal).reason
		}
		all = append(all, member)
	}
	return all
}

// nextSteps says what is about to happen, in order.
func (s *scope) nextSteps() []string {
	var plan []string
	for _, name := range s.replacing {
		plan = append(plan, "replace pod "+name)
	}
	for _, name := range s.restarting {
		plan = append(plan, "restart the engine of "+name)
	}
	for _, name := range s.resizing() {
		plan = append(plan, fmt.Sprintf("grow volume %s to %s", name, s.db.Spec.Storage))
	}
	return plan
}

// phase is the state in one word.
func (s *scope) phase(after dbv1.DatabaseStatus) dbv1.Phase {
	_, leads := s.leader()
	switch {
	case meta.IsStatusConditionFalse(after.Conditions, dbv1.ConditionNotBlocked):
		return dbv1.PhaseBlocked
	case s.db.Status.Term == 0 && !leads:
		return dbv1.PhaseCreating
	case len(s.replacing) > 0 || len(s.restarting) > 0:
		return dbv1.PhaseUpdating
	case len(s.resizing()) > 0:
		return dbv1.PhaseScaling
	case after.Ready:
		return dbv1.PhaseRunning
	default:
		return dbv1.PhaseDegraded
	}
}

// deletingStatus is that of a Database whose end has begun but waits for its
// objects. All of them are owned, so that nothing is to be done.
func deletingStatus(db *dbv1.Database, now time.Time) dbv1.DatabaseStatus {
	after := *db.Status.DeepCopy()
	why := cause{dbv1.ReasonDeleting, "The Database is being removed. Its volumes and their data stay."}
	after.ObservedGeneration, after.Phase, after.Ready = db.Generation, dbv1.PhaseDeleting, false
	condition(&after, now, dbv1.ConditionReady, no(why))
	abnormal(&after, now, dbv1.ConditionReconciling, why)
	return after
}

func list(names []string) string { return strings.Join(names, ", ") }
