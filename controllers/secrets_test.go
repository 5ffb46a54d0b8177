//go:build apiserver

package controllers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/desired"
)

func TestPullSecretsOfTheOperatorAreCopied(t *testing.T) {
	w := newWorld(t)
	for name, host := range map[string]string{"one": "a.example.com", "two": "b.example.com"} {
		w.create(&corev1.Secret{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
			Type:       corev1.SecretTypeDockerConfigJson,
			StringData: map[string]string{corev1.DockerConfigJsonKey: `{"auths":{"` + host + `":{"auth":"eDp5"}}}`},
		})
	}
	w.reconciler.Namespace, w.reconciler.PullSecrets = w.namespace, []string{"one", "two"}
	w.reconciler.Settings.PullSecret = true
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	member := w.ready(db)
	copied := &corev1.Secret{}
	w.get("shop-pull", copied)
	var merged struct{ Auths map[string]any }
	if err := json.Unmarshal(copied.Data[corev1.DockerConfigJsonKey], &merged); err != nil || len(merged.Auths) != 2 {
		t.Errorf("%s: %v", copied.Data[corev1.DockerConfigJsonKey], err)
	}
	if got := member.Spec.ImagePullSecrets; len(got) != 1 || got[0].Name != "shop-pull" {
		t.Errorf("the pod pulls with %v", got)
	}
	w.wrote()
	w.pass(db)
	if wrote := w.wrote(); len(wrote) > 0 {
		t.Errorf("a settled Database caused %q", wrote)
	}
}

// What members went through while no operator was there is posted later, with
// the times at which it happened, and once only.
func TestTransitionsBecomeEventsOnce(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EngineMySQL, "9.7", nil)
	w.ready(db)
	then := w.now.Add(-3 * time.Hour).Truncate(time.Second)
	said := w.healthy(db)
	said.Transitions = []agentapi.Transition{
		{Sequence: 1, Time: then, Reason: "Initialised", Message: "The data directory is complete."},
		{Sequence: 2, Time: then.Add(time.Minute), Reason: "Opened", Message: strings.Repeat("long ", 400)},
	}
	w.agents.set("shop-0", said)
	w.pass(db)
	posted := w.posted()
	if len(posted) != 2 {
		t.Fatalf("%d events: %+v", len(posted), posted)
	}
	for _, event := range posted {
		if event.EventTime.After(then.Add(time.Hour)) || event.Regarding.UID != db.UID || len(event.Note) > noteLimit {
			t.Errorf("event %+v", event)
		}
	}
	if got := w.claim(db).Annotations[desired.PostedAnnotation]; got != "2" {
		t.Errorf("the claim remembers %q", got)
	}
	w.wrote()
	w.reconciler = w.restarted()
	w.pass(db)
	if wrote := w.wrote(); len(wrote) > 0 {
		t.Errorf("a restarted operator caused %q", wrote)
	}
}

// Neither a text in any language nor one that is cut keeps those after it back.
func TestTransitionsOfAnyTextArePosted(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", nil)
	w.ready(db)
	said := w.healthy(db)
	for i := range 4 {
		said.Transitions = append(said.Transitions, agentapi.Transition{
			Sequence: int64(i + 1), Time: w.now, Reason: "ConfigurationRefused", Message: strings.Repeat(".", i) + strings.Repeat("€", 500)})
	}
	w.agents.set("shop-0", said)
	w.pass(db)
	posted := w.posted()
	if len(posted) != 4 {
		t.Errorf("%d events", len(posted))
	}
	for _, event := range posted {
		if !utf8.ValidString(event.Note) || strings.Contains(event.Note, "\uFFFD") {
			t.Errorf("a letter was cut: %q", event.Note)
		}
	}
}

// The API server refuses an Event with a longer note, and nobody sees it then.
func TestLongMessagesBecomeEventsToo(t *testing.T) {
	w := newWorld(t)
	db := w.database("shop", dbv1.EnginePostgres, "17", func(db *dbv1.Database) {
		db.Spec.Parameters = dbv1.Parameters{}
		for i := range 50 {
			db.Spec.Parameters[fmt.Sprintf("unknown_%d", i)] = "1"
		}
	})
	w.pass(db)
	stalled := w.expect(db, dbv1.ConditionStalled, metav1.ConditionTrue, dbv1.ReasonInvalidParameters)
	if len(stalled.Message) <= noteLimit {
		t.Fatalf("a message of %d bytes shows nothing", len(stalled.Message))
	}
	note := strings.TrimPrefix(<-w.events.Events, "Warning "+dbv1.ReasonInvalidParameters+" ")
	if len(note) > noteLimit {
		t.Errorf("an event of %d bytes", len(note))
	}
}

// posted are the agents' transitions among the events.
func (w *world) posted() []eventsv1.Event {
	w.Helper()
	var all eventsv1.EventList
	if err := w.client.List(w.Context(), &all, client.InNamespace(w.namespace)); err != nil {
		w.Fatal(err)
	}
	return all.Items
}
