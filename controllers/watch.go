package controllers

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/agentapi"
)

const (
	// askEvery is how often each agent is asked whether anything is new.
	askEvery = 10 * time.Second
	// askers bounds how many are asked at once.
	askers = 16
)

// agentWatch asks the agents of settled Databases, past the API server, and
// asks for a pass over a Database when one says something new. So a change of
// primary or a failing engine shows soon, at no cost to the API server.
//
//	pass ── set(targets, answers) ──► agentWatch ── changed ──► pass
type agentWatch struct {
	agents  Agents
	changed chan event.TypedGenericEvent[*dbv1.Database]

	mu      sync.Mutex
	watched map[types.NamespacedName]watched
}

type watched struct {
	targets map[int]Target
	digests map[int]string
}

func newAgentWatch(agents Agents) *agentWatch {
	return &agentWatch{
		agents: agents,
		// A full channel delays asking, which is all right.
		changed: make(chan event.TypedGenericEvent[*dbv1.Database]),
		watched: map[types.NamespacedName]watched{},
	}
}

// set says whom to ask from now on, and what they said last.
func (w *agentWatch) set(key types.NamespacedName, targets map[int]Target, answers []*agentapi.Status) {
	digests := map[int]string{}
	for ordinal := range targets {
		digests[ordinal] = digest(answers[ordinal])
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watched[key] = watched{targets, digests}
}

func (w *agentWatch) forget(key types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, key)
}

// Start asks until ctx ends. It waits for its own goroutines.
func (w *agentWatch) Start(ctx context.Context) error {
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			w.round(ctx)
		}
	}
}

// NeedLeaderElection makes only the active operator ask.
func (w *agentWatch) NeedLeaderElection() bool { return true }

func (w *agentWatch) round(ctx context.Context) {
	w.mu.Lock()
	all := make(map[types.NamespacedName]watched, len(w.watched))
	for key, one := range w.watched {
		all[key] = one
	}
	w.mu.Unlock()

	var asked sync.WaitGroup
	slots := make(chan struct{}, askers)
	for key, one := range all {
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			if w.news(ctx, one) {
				w.tell(ctx, key)
			}
		})
	}
	asked.Wait()
}

func (w *agentWatch) news(ctx context.Context, one watched) bool {
	for ordinal, target := range one.targets {
		var answer *agentapi.Status
		if said, err := w.agents.Status(ctx, target); err == nil {
			answer = &said
		}
		if ctx.Err() == nil && digest(answer) != one.digests[ordinal] {
			return true
		}
	}
	return false
}

func (w *agentWatch) tell(ctx context.Context, key types.NamespacedName) {
	db := &dbv1.Database{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	select {
	case w.changed <- event.TypedGenericEvent[*dbv1.Database]{Object: db}:
	case <-ctx.Done():
	}
}

// digest of what an agent says, without what moves all the time.
func digest(answer *agentapi.Status) string {
	if answer == nil {
		return "no answer"
	}
	still := *answer
	still.Position = ""
	text, err := json.Marshal(still)
	if err != nil {
		panic(err) // a struct of strings, numbers and times always encodes
	}
	return string(text)
}
