package controllers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/pod"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// settledScope is a Database of one member in which all is well.
func settledScope() *scope {
	db := &dbv1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "shop", Generation: 3},
		Spec:       dbv1.DatabaseSpec{Engine: "some-engine", Version: "17", Replicas: 1, Storage: "10Gi"},
		Status:     dbv1.DatabaseStatus{Term: 1},
	}
	s := &scope{
		db: db, names: "shop", now: noon,
		in:      desired.Input{Database: db, Settings: desired.Settings{AgentImage: "operator:1"}},
		mounted: "hash",
		set:     &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{UID: "set", Generation: 1}, Status: appsv1.StatefulSetStatus{ObservedGeneration: 1}},
	}
	s.set.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: pod.InitContainer, Image: "operator:1"}}
	s.pods[0] = &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "shop-0"},
		Spec:       corev1.PodSpec{NodeName: "node-1"},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{
			{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
	s.claims[0] = &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data-shop-0", UID: "claim", CreationTimestamp: metav1.NewTime(noon.Add(-time.Hour))},
		Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound, Capacity: corev1.ResourceList{
			corev1.ResourceStorage: resource.MustParse("10Gi")}},
	}
	s.agents[0] = &agentapi.Status{
		UID: "m0", ClusterUID: "cluster", SpecGeneration: 3, Role: agentapi.RolePrimary, Ready: true,
		Term: 1, RecordVersion: 2, RuleMembers: []string{"m0"}, RuleAcks: 1, ConfigHash: "hash",
	}
	return s
}

func waiting(reason string) corev1.ContainerStatus {
	return corev1.ContainerStatus{Name: "engine", Image: "nowhere:1", State: corev1.ContainerState{
		Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "changes with every try"}}}
}

func silent(s *scope) {
	s.agents[0] = nil
	s.pods[0].Status.Conditions[0].Status = corev1.ConditionFalse
}

func pending(s *scope, condition corev1.PodCondition) {
	silent(s)
	s.pods[0].Spec.NodeName, s.pods[0].Status.Phase = "", corev1.PodPending
	s.pods[0].Status.Conditions = []corev1.PodCondition{condition}
}

func unbound(s *scope, events ...corev1.Event) {
	pending(s, corev1.PodCondition{})
	s.claims[0].Status = corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimPending}
	for i := range events {
		events[i].InvolvedObject.UID = "claim"
	}
	s.events = events
}

func TestStatus(t *testing.T) {
	unschedulable := func(since time.Duration, message string) corev1.PodCondition {
		return corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable",
			Message: message, LastTransitionTime: metav1.NewTime(noon.Add(-since))}
	}
	type want struct {
		phase                                  dbv1.Phase
		ready, available, upToDate, notBlocked string // reasons; a bad state begins with "-"
		stalled, reconciling                   string
	}
	good := want{dbv1.PhaseRunning, "Ready", "Available", "Settled", "NotBlocked", "", ""}
	blocked := func(reason string) want {
		return want{dbv1.PhaseBlocked, "-" + reason, "-NoPrimary", "Settled", "-" + reason, "", reason}
	}
	away := want{dbv1.PhaseDegraded, "-MembersNotReady", "-NoPrimary", "Settled", "NotBlocked", "", "MembersNotReady"}
	cases := map[string]struct {
		change func(*scope)
		want   want
	}{
		"all is well": {func(*scope) {}, good},
		"the agent does not answer and kubelet calls the pod ready": {
			func(s *scope) { s.agents[0] = nil }, good},
		"the agent does not answer and kubelet calls the pod unready": {silent, away},
		"the agent is ahead of kubelet": {
			func(s *scope) { s.pods[0].Status.Conditions[0].Status = corev1.ConditionFalse }, good},
		"clients are not sent to the open gate yet": {
			func(s *scope) { s.agents[0].Unrouted = true }, away},
		"the pod ends": {
			func(s *scope) { s.pods[0].DeletionTimestamp = &metav1.Time{Time: noon} }, away},
		"the pod is gone": {
			func(s *scope) { s.pods[0], s.agents[0] = nil, nil }, away},
		"nothing exists yet": {
			func(s *scope) { *s = *fresh(s) },
			want{dbv1.PhaseCreating, "-Creating", "-Creating", "-Creating", "NotBlocked", "", "Creating"}},
		"the agent tells what is wrong": {
			func(s *scope) { s.agents[0].Ready, s.agents[0].Reason = false, "EngineCrashed" },
			want{dbv1.PhaseDegraded, "-EngineCrashed", "-NoPrimary", "Settled", "NotBlocked", "", "EngineCrashed"}},
		"the volume is full and the gate is open": {
			func(s *scope) { s.agents[0].Reason = agentapi.ReasonDiskFull },
			want{dbv1.PhaseBlocked, "-DiskFull", "Available", "Settled", "-DiskFull", "", ""}},
		"the engine refuses the parameters and goes on with those before": {
			func(s *scope) {
				s.agents[0].Reason, s.agents[0].SpecGeneration = agentapi.ReasonConfigurationRefused, 2
			},
			want{dbv1.PhaseBlocked, "Ready", "Available", "-InvalidParameters", "-InvalidParameters", "InvalidParameters", ""}},
		"the engine refuses the parameters of its first start": {
			func(s *scope) {
				s.agents[0].Reason, s.agents[0].Ready = agentapi.ReasonConfigurationRefused, false
			},
			want{dbv1.PhaseBlocked, "-InvalidParameters", "-NoPrimary", "-InvalidParameters", "-InvalidParameters", "InvalidParameters", ""}},
		"the first start is under way": {
			func(s *scope) {
				s.db.Status.Term, s.agents[0].Term = 0, 0
				s.agents[0].Ready, s.agents[0].Role = false, agentapi.RoleStarting
			},
			want{dbv1.PhaseCreating, "-Initializing", "-NoPrimary", "Settled", "NotBlocked", "", "Initializing"}},
		"the spec is refused while the member serves": {
			func(s *scope) { s.refusal = cause{"InvalidParameters", "Write another."} },
			want{dbv1.PhaseBlocked, "Ready", "Available", "-InvalidParameters", "-InvalidParameters", "InvalidParameters", ""}},
		"three members are asked for": {
			func(s *scope) { s.db.Spec.Replicas = 3 },
			want{dbv1.PhaseDegraded, "-ReplicationNotSupported", "Available", "-ReplicationNotSupported", "NotBlocked", "ReplicationNotSupported", ""}},
		"the member has not read the newest document": {
			func(s *scope) { s.agents[0].SpecGeneration = 2 },
			want{dbv1.PhaseRunning, "Ready", "Available", "-Updating", "NotBlocked", "", "Updating"}},
		"a parameter waits for a restart": {
			func(s *scope) {
				s.agents[0].PendingRestart = []string{"a"}
				s.restarting = []string{"shop-0"}
			},
			want{dbv1.PhaseUpdating, "Ready", "Available", "-RestartPending", "NotBlocked", "", "RestartPending"}},
		"a pod is replaced": {
			func(s *scope) { s.replacing = []string{"shop-0"} },
			want{dbv1.PhaseUpdating, "Ready", "Available", "-Updating", "NotBlocked", "", "Updating"}},
		"a volume grows": {
			func(s *scope) { s.db.Spec.Storage = "20Gi" },
			want{dbv1.PhaseScaling, "Ready", "Available", "-Resizing", "NotBlocked", "", "Resizing"}},
		"the operator is newer than the agent": {
			func(s *scope) { s.in.Settings.AgentImage = "operator:2" },
			want{dbv1.PhaseRunning, "Ready", "Available", "-AgentOutdated", "NotBlocked", "", ""}},
		"no node takes the pod": {
			func(s *scope) {
				pending(s, unschedulable(time.Minute, "0/3 nodes are available: 3 Insufficient memory."))
			}, blocked("Unschedulable")},
		"no node takes the pod as yet": {
			func(s *scope) { pending(s, unschedulable(time.Second, "0/3 nodes are available.")) }, away},
		"the scheduler misses the StorageClass": {
			func(s *scope) {
				pending(s, unschedulable(time.Minute, `storageclass.storage.k8s.io "gold" not found`))
			}, blocked("StorageClassNotFound")},
		"the provisioner misses the StorageClass": {
			func(s *scope) {
				unbound(s, corev1.Event{Reason: "ProvisioningFailed", Message: `storageclass.storage.k8s.io "gold" not found`})
			}, blocked("StorageClassNotFound")},
		"the cluster has no default StorageClass": {
			func(s *scope) {
				unbound(s, corev1.Event{Reason: "FailedBinding", Message: "no persistent volumes available for this claim and no storage class is set"})
			}, blocked("StorageClassNotFound")},
		"the provisioner fails": {
			func(s *scope) {
				unbound(s, corev1.Event{Reason: "ProvisioningFailed", Message: "the backend is full"})
			}, blocked("ClaimPending")},
		"the claim's volume is gone": {
			func(s *scope) { silent(s); s.claims[0].Status.Phase = corev1.ClaimLost }, blocked("ClaimPending")},
		"the image cannot be pulled": {
			func(s *scope) {
				silent(s)
				s.pods[0].Status.ContainerStatuses = []corev1.ContainerStatus{waiting("ImagePullBackOff")}
			}, blocked("ImageNotPulled")},
		"the agent's image is not on the node": {
			func(s *scope) {
				silent(s)
				s.pods[0].Status.InitContainerStatuses = []corev1.ContainerStatus{waiting("ErrImageNeverPull")}
			}, blocked("ImageNotPulled")},
		"the registry does not answer": {
			func(s *scope) {
				silent(s)
				s.pods[0].UID, s.pods[0].Status.Phase = "pod", corev1.PodPending
				s.events = []corev1.Event{{InvolvedObject: corev1.ObjectReference{UID: "pod"}, Reason: "Pulling",
					Message: `Pulling image "nowhere:1"`, LastTimestamp: metav1.NewTime(noon.Add(-20 * time.Second))}}
			}, blocked("ImageNotPulled")},
		"the node cannot attach the volume": {
			func(s *scope) {
				silent(s)
				s.pods[0].UID, s.pods[0].Status.Phase = "pod", corev1.PodPending
				s.events = []corev1.Event{{InvolvedObject: corev1.ObjectReference{UID: "pod"}, Reason: "FailedAttachVolume"}}
			}, blocked("ClaimPending")},
		"the container ends again and again": {
			func(s *scope) {
				silent(s)
				s.pods[0].Status.ContainerStatuses = []corev1.ContainerStatus{waiting("CrashLoopBackOff")}
			}, blocked("EngineFailing")},
		"the node refuses the container": {
			func(s *scope) {
				silent(s)
				s.pods[0].Status.ContainerStatuses = []corev1.ContainerStatus{waiting("CreateContainerConfigError")}
			}, blocked("PodRefused")},
		"an old event of a refused pod is of a trouble that is over": {
			func(s *scope) {
				s.pods[0], s.agents[0] = nil, nil
				s.db.Status.Conditions = []metav1.Condition{{Type: dbv1.ConditionAvailable, Status: metav1.ConditionTrue}}
				s.events = []corev1.Event{{InvolvedObject: corev1.ObjectReference{UID: "set"}, Reason: "FailedCreate",
					Message: "exceeded quota", LastTimestamp: metav1.NewTime(noon.Add(-time.Hour))}}
			}, away},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := settledScope()
			c.change(s)
			got := status(s)
			reason := func(kind string) string {
				condition := meta.FindStatusCondition(got.Conditions, kind)
				switch {
				case condition == nil:
					return ""
				case condition.Status == metav1.ConditionFalse:
					return "-" + condition.Reason
				default:
					return condition.Reason
				}
			}
			have := want{got.Phase, reason("Ready"), reason("Available"), reason("UpToDate"), reason("NotBlocked"), reason("Stalled"), reason("Reconciling")}
			if diff := cmp.Diff(c.want, have, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got.Ready != (have.ready == "Ready") {
				t.Errorf("ready is %t beside %s", got.Ready, have.ready)
			}
			for _, condition := range got.Conditions {
				if condition.Message == "" || condition.ObservedGeneration != 3 {
					t.Errorf("condition %+v", condition)
				}
			}
			s.db.Status = got
			if diff := cmp.Diff(got, status(s)); diff != "" {
				t.Errorf("a second look at the same things says something else:\n%s", diff)
			}
		})
	}
}

func TestAnEngineOfANewerOperatorIsLeftAlone(t *testing.T) {
	s := settledScope() // of an engine without a profile
	s.claims[0].Labels = map[string]string{desired.EngineLabel: string(s.db.Spec.Engine)}
	if got := refuse(s); got.reason != dbv1.ReasonUnsupportedVersion {
		t.Errorf("got %+v", got)
	}
}

// fresh is the scope of a Database that has nothing yet.
func fresh(s *scope) *scope {
	s.db.Status.Term = 0
	return &scope{db: s.db, names: s.names, now: s.now, in: s.in}
}

// A member whose volume was lost knows the register's record and has no
// identity yet: without the old one, the operator would let it start afresh.
func TestIdentityOutlivesALostVolume(t *testing.T) {
	s := settledScope()
	s.db.Status.ClusterUID = "the-data"
	s.agents[0].ClusterUID, s.agents[0].Ready, s.agents[0].Reason = "", false, agentapi.ReasonNotAMember
	after := status(s)
	if after.ClusterUID != "the-data" {
		t.Errorf("clusterUID is %q after the volume was lost", after.ClusterUID)
	}
	if c := meta.FindStatusCondition(after.Conditions, dbv1.ConditionNotBlocked); c == nil || c.Status != metav1.ConditionFalse || c.Reason != agentapi.ReasonNotAMember {
		t.Errorf("NotBlocked is %+v, though only a person can help", c)
	}
}

// What a policy refuses shows in no event: there is no object to have one.
func TestWhatAPolicyRefusesIsToldToUsers(t *testing.T) {
	sets := schema.GroupResource{Group: "apps", Resource: "statefulsets"}
	webhook := apierrors.NewBadRequest(`admission webhook "policies.example.org" denied the request: no label team`)
	for name, c := range map[string]struct {
		err  error
		says string
	}{
		"a webhook": {webhook, "no label team. Change"},
		"a policy": {apierrors.NewForbidden(sets, "db", errors.New("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no label team")),
			"no label team. Change"},
		"the operator's own rights are the operator's matter": {apierrors.NewForbidden(sets, "db", errors.New(`User "x" cannot patch resource`)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := settledScope()
			s.failures = []failure{{"statefulset", fmt.Errorf("applying: %w", c.err)}}
			blocked := meta.FindStatusCondition(status(s).Conditions, dbv1.ConditionNotBlocked)
			told := blocked.Status == metav1.ConditionFalse && blocked.Reason == dbv1.ReasonPodRefused
			if told != (c.says != "") || !strings.Contains(blocked.Message, c.says) || told == (s.unexpected() != nil) {
				t.Errorf("%s/%s: %s; unexpected: %v", blocked.Status, blocked.Reason, blocked.Message, s.unexpected())
			}
		})
	}
}

func TestEventsFollowChangesOnly(t *testing.T) {
	is := func(kind string, status metav1.ConditionStatus, reason string) metav1.Condition {
		return metav1.Condition{Type: kind, Status: status, Reason: reason, Message: "m"}
	}
	ready := is(dbv1.ConditionReady, metav1.ConditionTrue, "Ready")
	unready := is(dbv1.ConditionReady, metav1.ConditionFalse, "MembersNotReady")
	refused := is(dbv1.ConditionStalled, metav1.ConditionTrue, "InvalidParameters")
	blocked := is(dbv1.ConditionNotBlocked, metav1.ConditionFalse, "Unschedulable")
	blockedToo := is(dbv1.ConditionNotBlocked, metav1.ConditionFalse, "InvalidParameters")
	cases := map[string]struct {
		before, after []metav1.Condition
		want          []string
	}{
		"nothing changed":                   {[]metav1.Condition{ready}, []metav1.Condition{ready}, nil},
		"it became ready":                   {nil, []metav1.Condition{ready}, []string{"Ready"}},
		"it was never ready":                {nil, []metav1.Condition{unready}, nil},
		"it is no longer ready":             {[]metav1.Condition{ready}, []metav1.Condition{unready}, []string{"MembersNotReady"}},
		"it is refused, which is said once": {nil, []metav1.Condition{refused, blockedToo}, []string{"InvalidParameters"}},
		"it became blocked":                 {[]metav1.Condition{unready}, []metav1.Condition{unready, blocked}, []string{"Unschedulable"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, h := range changes(c.before, c.after) {
				got = append(got, h.reason)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
