package controllers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
)

// postedTransitions remembers, for each claim, the sequence of the last
// transition that became an Event. The claim's annotation is the lasting copy:
// the storage step writes it when it has moved.
type postedTransitions struct {
	mu   sync.Mutex
	last map[types.UID]int64
}

func (p *postedTransitions) get(claim *corev1.PersistentVolumeClaim) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := claim.Annotations[desired.PostedAnnotation]
	if last := p.last[claim.UID]; last > sequence(kept) {
		return strconv.FormatInt(last, 10)
	}
	return kept
}

func (p *postedTransitions) set(claim *corev1.PersistentVolumeClaim, last int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = map[types.UID]int64{}
	}
	p.last[claim.UID] = last
}

func sequence(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0 // none was posted
	}
	return n
}

// transitions turns what members went through since the last pass into Events,
// with the times at which it happened: the operator may have been away.
func (r *DatabaseReconciler) transitions(ctx context.Context, s *scope) error {
	for ordinal, agent := range s.agents {
		claim := s.claims[ordinal]
		if agent == nil || claim == nil {
			continue
		}
		last := sequence(r.posted.get(claim))
		for _, transition := range agent.Transitions {
			if transition.Sequence <= last {
				continue
			}
			err := r.Client.Create(ctx, s.transitionEvent(s.names.Pod(ordinal), agent.UID, transition))
			if err != nil && !apierrors.IsAlreadyExists(err) {
				return fmt.Errorf("posting transition %d of %s: %w", transition.Sequence, agent.Member, err)
			}
			r.posted.set(claim, transition.Sequence)
		}
	}
	return nil
}

// transitionType is Warning for what somebody should act on.
func transitionType(reason string) string {
	if agentapi.NeedsSomebody(reason) || reason == agentapi.ReasonConfigurationRefused {
		return corev1.EventTypeWarning
	}
	return corev1.EventTypeNormal
}

// transitionEvent has a name of its own, so that posting it again is refused.
func (s *scope) transitionEvent(pod, uid string, transition agentapi.Transition) *eventsv1.Event {
	sum := sha256.Sum256([]byte(uid + "/" + strconv.FormatInt(transition.Sequence, 10)))
	at := transition.Time
	if at.IsZero() || at.After(s.now) {
		at = s.now // a node's clock may be wrong
	}
	note := fmt.Sprintf("%s at %s: %s", pod, at.UTC().Format(time.RFC3339), transition.Message)
	return &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: s.db.Namespace,
			Name:      s.db.Name + "." + hex.EncodeToString(sum[:8]),
		},
		EventTime:           metav1.NewMicroTime(at),
		ReportingController: eventReporter,
		ReportingInstance:   pod,
		Action:              "Transition",
		Reason:              transition.Reason,
		Type:                transitionType(transition.Reason),
		Regarding: corev1.ObjectReference{
			APIVersion: dbv1.GroupVersion.String(), Kind: "Database",
			Namespace: s.db.Namespace, Name: s.db.Name, UID: s.db.UID, ResourceVersion: s.db.ResourceVersion,
		},
		Note: shortened(note),
	}
}
