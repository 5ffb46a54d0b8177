package controllers

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// eventReporter names us in every Event.
const eventReporter = "db-operator"

// happening is an Event to be: what changed, in the past tense. Reasons are
// those of the conditions where there is one.
type happening struct {
	kind, reason, action, note string
}

// All that this package ever posts, but for the agents' own transitions.
func becameReady(message string) happening {
	return happening{corev1.EventTypeNormal, dbv1.ReasonReady, "Reconcile", message}
}

func becameUnready(reason, message string) happening {
	return happening{corev1.EventTypeWarning, reason, "Reconcile", message}
}

func becameStalled(reason, message string) happening {
	return happening{corev1.EventTypeWarning, reason, "Refuse", message}
}

func becameBlocked(reason, message string) happening {
	return happening{corev1.EventTypeWarning, reason, "Wait", message}
}

func replacingPod(pod string) happening {
	return happening{corev1.EventTypeNormal, dbv1.ReasonUpdating, "ReplacePod", fmt.Sprintf("Replaced pod %s, which was made from an older template.", pod)}
}

func restartingEngine(pod string, parameters []string) happening {
	names := slices.Sorted(slices.Values(parameters))
	return happening{corev1.EventTypeNormal, dbv1.ReasonRestartPending, "RestartEngine",
		fmt.Sprintf("Asked %s to restart its engine, so that these parameters take effect: %s.", pod, strings.Join(names, ", "))}
}

// changes are the Events between two statuses. It is pure.
func changes(before, after []metav1.Condition) []happening {
	var all []happening
	turned := func(kind string, to metav1.ConditionStatus) *metav1.Condition {
		was, is := meta.FindStatusCondition(before, kind), meta.FindStatusCondition(after, kind)
		if is == nil || is.Status != to || was != nil && was.Status == to && was.Reason == is.Reason {
			return nil
		}
		return is
	}
	if c := turned(dbv1.ConditionReady, metav1.ConditionTrue); c != nil {
		all = append(all, becameReady(c.Message))
	}
	stalled := turned(dbv1.ConditionStalled, metav1.ConditionTrue)
	if meta.IsStatusConditionTrue(before, dbv1.ConditionReady) {
		if c := turned(dbv1.ConditionReady, metav1.ConditionFalse); c != nil && (stalled == nil || stalled.Reason != c.Reason) {
			all = append(all, becameUnready(c.Reason, c.Message))
		}
	}
	if stalled != nil {
		all = append(all, becameStalled(stalled.Reason, stalled.Message))
	}
	if c := turned(dbv1.ConditionNotBlocked, metav1.ConditionFalse); c != nil && (stalled == nil || stalled.Reason != c.Reason) {
		all = append(all, becameBlocked(c.Reason, c.Message))
	}
	return all
}

// emit posts one. It never blocks.
func (r *DatabaseReconciler) emit(db *dbv1.Database, h happening) {
	r.Events.Eventf(db, nil, h.kind, h.reason, h.action, "%s", shortened(h.note))
}

// noteLimit is the API server's, in bytes. It refuses an Event with a longer
// note; the condition has all of the text.
const noteLimit = 1024

// shortened cuts a note between two letters.
func shortened(note string) string {
	const dots = "…"
	if len(note) <= noteLimit {
		return note
	}
	end := noteLimit - len(dots)
	for end > 0 && !utf8.RuneStart(note[end]) {
		end--
	}
	return note[:end] + dots
}
