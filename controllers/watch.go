package controllers

import (
	"context"
	"encoding/json"
	"maps"
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
	// askSoon is how often those are asked that do not serve yet: somebody waits
	// for them, and kubelet's probe and report would add a second. So they are
	// for askSoonFor after a pass; most starts take less.
	askSoon    = 100 * time.Millisecond
	askSoonFor = 30 * time.Second
	// askSoonTime: a pod that is hardly up may drop what it is sent.
	askSoonTime = time.Second
	// askers bounds how many are asked at once.
	askers = 16
)

// agentWatch asks the agents of settled Databases, past the API server, and
// asks for a pass over a Database when one says something new. So a change of
// primary or a failing engine shows soon, at no cost to the API server. Members
// that do not serve yet are asked often, but then only whether they do.
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
	// waiting are the members that did not serve at the last pass, until when
	// they are asked often.
	waiting map[int]time.Time
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
	one := watched{targets: targets, digests: map[int]string{}, waiting: map[int]time.Time{}}
	w.mu.Lock()
	defer w.mu.Unlock()
	for ordinal := range targets {
		one.digests[ordinal] = digest(answers[ordinal])
		if answers[ordinal] != nil && answers[ordinal].Serves() {
			continue
		}
		// Passes that bring nothing new do not prolong the time.
		until, known := w.watched[key].waiting[ordinal]
		if !known {
			until = time.Now().Add(askSoonFor)
		}
		one.waiting[ordinal] = until
	}
	w.watched[key] = one
}

func (w *agentWatch) forget(key types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.watched, key)
}

// Start asks until ctx ends. It waits for its own goroutines.
func (w *agentWatch) Start(ctx context.Context) error {
	var both sync.WaitGroup
	both.Go(func() { w.every(ctx, askEvery, w.all, w.news) })
	both.Go(func() { w.every(ctx, askSoon, w.waiting, w.serves) })
	both.Wait()
	return nil
}

// NeedLeaderElection makes only the active operator ask.
func (w *agentWatch) NeedLeaderElection() bool { return true }

// every asks those who are chosen in rounds, of which the next begins when the
// last one has ended: many that are slow are asked less often.
func (w *agentWatch) every(ctx context.Context, pause time.Duration, choose func() map[types.NamespacedName]watched, news func(context.Context, watched) bool) {
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			w.round(ctx, choose(), news)
		}
	}
}

// all are asked now and then.
func (w *agentWatch) all() map[types.NamespacedName]watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	return maps.Clone(w.watched)
}

// waiting are those with members that are expected to serve soon, and only
// these members of theirs.
func (w *agentWatch) waiting() map[types.NamespacedName]watched {
	now, soon := time.Now(), map[types.NamespacedName]watched{}
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, one := range w.watched {
		targets := map[int]Target{}
		for ordinal, until := range one.waiting {
			if now.Before(until) {
				targets[ordinal] = one.targets[ordinal]
			}
		}
		if len(targets) > 0 {
			soon[key] = watched{targets: targets}
		}
	}
	return soon
}

func (w *agentWatch) round(ctx context.Context, chosen map[types.NamespacedName]watched, news func(context.Context, watched) bool) {
	var asked sync.WaitGroup
	slots := make(chan struct{}, askers)
	for key, one := range chosen {
		slots <- struct{}{}
		asked.Go(func() {
			defer func() { <-slots }()
			if news(ctx, one) {
				w.tell(ctx, key)
			}
		})
	}
	asked.Wait()
}

// news tells whether one of them says anything new.
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

// serves tells whether one of them does by now. An agent that does not answer
// yet is no news.
func (w *agentWatch) serves(ctx context.Context, one watched) bool {
	for _, target := range one.targets {
		ctx, cancel := context.WithTimeout(ctx, askSoonTime)
		said, err := w.agents.Status(ctx, target)
		cancel()
		if err == nil && said.Serves() {
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
