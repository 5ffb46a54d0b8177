package controllers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
)

const (
	// placement is how long a pod may wait for a node before that is called
	// blocked: a volume is provisioned and bound in that time.
	placement = 10 * time.Second
	// starting is the same for what a node does before a container runs.
	starting = 15 * time.Second
	// provisioning is the same for a claim of which nothing is heard.
	provisioning = time.Minute
	// recently bounds the events that count while the Database was available
	// a moment ago: older ones are of troubles that are over.
	recently = time.Minute
)

// explained turns a refused request into what a user can do about it; the zero
// value if it is not the user's matter.
func explained(err error) cause {
	switch {
	case err == nil:
		return cause{}
	case strings.Contains(err.Error(), "exceeded quota"):
		return quota(err.Error())
	case apierrors.IsForbidden(err) && strings.Contains(err.Error(), "must support resize"):
		return cause{dbv1.ReasonStorageCannotGrow, "The StorageClass of the volumes does not let them grow. Write the size that they have, or create another Database with a class whose allowVolumeExpansion is true and move the data."}
	case deniedByPolicy.MatchString(err.Error()):
		return cause{dbv1.ReasonPodRefused, fmt.Sprintf("A policy of the cluster refuses an object of the Database: %s. Change the policy or the spec.", strings.TrimSuffix(innermost(err).Error(), "."))}
	case apierrors.IsInvalid(err):
		return cause{dbv1.ReasonInvalidSpec, fmt.Sprintf("Kubernetes does not take what the spec asks for: %s.", strings.TrimSuffix(innermost(err).Error(), "."))}
	default:
		return cause{}
	}
}

// deniedByPolicy knows the words of the API server for admission webhooks and
// for its own admission policies.
var deniedByPolicy = regexp.MustCompile(`denied (the )?request`)

// innermost is the API server's own text, without where it was met.
func innermost(err error) error {
	for {
		switch e := err.(type) {
		case apierrors.APIStatus:
			return err
		case interface{ Unwrap() error }:
			err = e.Unwrap()
		case interface{ Unwrap() []error }:
			all := e.Unwrap()
			i := slices.IndexFunc(all, apierrors.IsInvalid)
			err = all[max(i, 0)]
		default:
			return err
		}
	}
}

func quota(text string) cause {
	return cause{dbv1.ReasonQuotaExceeded, fmt.Sprintf("A quota of the namespace refuses it: %s. Raise the quota, or ask for less.", from(text, "exceeded quota"))}
}

// from cuts what stands before the telling part.
func from(text, start string) string {
	if i := strings.Index(text, start); i >= 0 {
		text = text[i:]
	}
	return strings.TrimSuffix(text, ".")
}

// waitsFor finds what a member waits for that only somebody else can give. It
// is pure.
func (s *scope) waitsFor() cause {
	for ordinal := range int(desired.Members) {
		for _, look := range []func(int) cause{s.refusedPod, s.pendingClaim, s.unplaced, s.containers, s.node} {
			if c := look(ordinal); c.any() {
				return c
			}
		}
	}
	return cause{}
}

// refusedPod: the StatefulSet's controller was refused a pod or a claim. That
// shows in its events only.
func (s *scope) refusedPod(ordinal int) cause {
	if s.set == nil || s.pods[ordinal] != nil {
		return cause{}
	}
	for _, event := range s.events {
		if event.InvolvedObject.UID != s.set.UID || event.Reason != "FailedCreate" || lastSeen(event).Time.Before(s.since()) {
			continue
		}
		if strings.Contains(event.Message, "already exists") {
			continue // the former pod of that name is still ending
		}
		if strings.Contains(event.Message, "exceeded quota") {
			return quota(event.Message)
		}
		_, why, found := strings.Cut(event.Message, "failed error: ")
		if !found {
			why = event.Message
		}
		return cause{dbv1.ReasonPodRefused, fmt.Sprintf("Kubernetes refuses pod %s: %s. Change the policy or the spec.", s.names.Pod(ordinal), strings.TrimSuffix(why, "."))}
	}
	return cause{}
}

// since is when the present trouble began, at the earliest.
func (s *scope) since() time.Time {
	available := meta.FindStatusCondition(s.db.Status.Conditions, dbv1.ConditionAvailable)
	switch {
	case available == nil:
		return time.Time{}
	case available.Status == "True":
		return s.now.Add(-recently)
	default:
		return available.LastTransitionTime.Add(-recently)
	}
}

var classNotFound = regexp.MustCompile(`storageclass\.storage\.k8s\.io "([^"]*)" not found`)

// pendingClaim: the volume is not there.
func (s *scope) pendingClaim(ordinal int) cause {
	claim := s.claims[ordinal]
	if claim == nil || claim.Status.Phase == corev1.ClaimBound {
		return cause{}
	}
	if claim.Status.Phase == corev1.ClaimLost {
		return cause{dbv1.ReasonClaimPending, fmt.Sprintf("The volume of claim %s is gone. Restore the PersistentVolume that it names: kubectl describe pvc %s.", claim.Name, claim.Name)}
	}
	for _, event := range s.events {
		if event.InvolvedObject.UID != claim.UID {
			continue
		}
		if c := claimEvent(claim, event); c.any() {
			return c
		}
	}
	if s.now.Sub(claim.CreationTimestamp.Time) > provisioning && !s.waitsForNode(ordinal) {
		return cause{dbv1.ReasonClaimPending, fmt.Sprintf("Claim %s has no volume yet. See kubectl describe pvc %s, and the provisioner of its StorageClass.", claim.Name, claim.Name)}
	}
	return cause{}
}

func claimEvent(claim *corev1.PersistentVolumeClaim, event corev1.Event) cause {
	class := classNotFound.FindStringSubmatch(event.Message)
	switch {
	case class != nil:
		return cause{dbv1.ReasonStorageClassNotFound, fmt.Sprintf("There is no StorageClass %q. Create it; or delete the Database and its claim %s, which holds nothing, and create the Database with one of kubectl get storageclass.", class[1], claim.Name)}
	case event.Reason == "FailedBinding" && strings.Contains(event.Message, "no storage class is set"):
		return cause{dbv1.ReasonStorageClassNotFound, fmt.Sprintf("The cluster has no default StorageClass. Mark one as the default; or delete the Database and its claim %s, which holds nothing, and create the Database with storageClassName.", claim.Name)}
	case event.Reason == "ProvisioningFailed":
		return cause{dbv1.ReasonClaimPending, fmt.Sprintf("The volume of claim %s cannot be provisioned: %s. The provisioner tries again.", claim.Name, strings.TrimSuffix(event.Message, "."))}
	default:
		return cause{}
	}
}

// waitsForNode: the class binds volumes only when the pod has a node.
func (s *scope) waitsForNode(ordinal int) bool {
	pod := s.pods[ordinal]
	return pod == nil || pod.Spec.NodeName == ""
}

// unplaced: no node takes the pod.
func (s *scope) unplaced(ordinal int) cause {
	pod := s.pods[ordinal]
	if pod == nil || pod.DeletionTimestamp != nil {
		return cause{}
	}
	for _, c := range pod.Status.Conditions {
		if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse || s.now.Sub(c.LastTransitionTime.Time) < placement {
			continue
		}
		if s.claims[ordinal] != nil && classNotFound.MatchString(c.Message) {
			return claimEvent(s.claims[ordinal], corev1.Event{Message: c.Message})
		}
		return cause{dbv1.ReasonUnschedulable, fmt.Sprintf("No node takes pod %s: %s. Change spec.scheduling or spec.resources, or add a node that fits.", pod.Name, strings.TrimSuffix(c.Message, "."))}
	}
	return cause{}
}

// Reasons of waiting containers that kubelet gives for images, and for
// containers that cannot be made.
var (
	imageReasons     = []string{"ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull", "InvalidImageName", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"}
	containerReasons = []string{"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "PreCreateHookError", "PostStartHookError"}
)

// containers: the image cannot be pulled, or what it holds ends again and
// again. Kubelet's own texts alternate while it tries, so they are not quoted.
func (s *scope) containers(ordinal int) cause {
	pod := s.pods[ordinal]
	if pod == nil || pod.DeletionTimestamp != nil {
		return cause{}
	}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		if c.State.Waiting == nil {
			continue
		}
		switch reason := c.State.Waiting.Reason; {
		case slices.Contains(imageReasons, reason):
			return cause{dbv1.ReasonImageNotPulled, fmt.Sprintf("Node %s cannot pull image %s. Check that it exists, that the node reaches its registry, and spec.imagePullSecrets; kubectl describe pod %s shows the registry's answer.", pod.Spec.NodeName, c.Image, pod.Name)}
		case slices.Contains(containerReasons, reason):
			return cause{dbv1.ReasonPodRefused, fmt.Sprintf("Node %s cannot start container %s of pod %s (%s). See kubectl describe pod %s.", pod.Spec.NodeName, c.Name, pod.Name, reason, pod.Name)}
		case reason == "CrashLoopBackOff":
			return cause{dbv1.ReasonEngineFailing, fmt.Sprintf("Container %s of pod %s ends again and again. See kubectl logs %s -c %s --previous; Kubernetes starts it again, with growing pauses.", c.Name, pod.Name, pod.Name, c.Name)}
		}
	}
	return cause{}
}

// node: what it does before a container runs takes long. The newest event of
// each kind tells how it stands.
func (s *scope) node(ordinal int) cause {
	pod := s.pods[ordinal]
	if pod == nil || pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodPending {
		return cause{}
	}
	for _, event := range s.events {
		if event.InvolvedObject.UID != pod.UID {
			continue
		}
		switch event.Reason {
		case "Pulling":
			if s.now.Sub(lastSeen(event).Time) < starting {
				return cause{}
			}
			return cause{dbv1.ReasonImageNotPulled, fmt.Sprintf("Node %s has not got an image yet (%s). A large one takes its time; else check that it exists, and that the node reaches its registry.", pod.Spec.NodeName, event.Message)}
		case "FailedMount", "FailedAttachVolume":
			return cause{dbv1.ReasonClaimPending, fmt.Sprintf("Node %s cannot use a volume of pod %s (%s). It tries again; kubectl describe pod %s shows why.", pod.Spec.NodeName, pod.Name, event.Reason, pod.Name)}
		case "Pulled", "Created", "Started", "SuccessfulAttachVolume":
			return cause{}
		}
	}
	return cause{}
}
