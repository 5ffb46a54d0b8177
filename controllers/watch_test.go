package controllers

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/myuser/db-operator/internal/agentapi"
)

// A settled Database gets a pass when its agent says something new, and no
// pass while only the log grows.
func TestAgentWatch(t *testing.T) {
	key := types.NamespacedName{Namespace: "prod", Name: "shop"}
	targets := map[int]Target{0: {Pod: "shop-0"}}
	said := agentapi.Status{Term: 1, Ready: true, Position: "0/1"}
	cases := map[string]struct {
		then func(*fakeAgents)
		told bool
	}{
		"nothing new":       {func(*fakeAgents) {}, false},
		"the log grows":     {func(f *fakeAgents) { now := said; now.Position = "0/2"; f.set("shop-0", now) }, false},
		"another term":      {func(f *fakeAgents) { now := said; now.Term = 2; f.set("shop-0", now) }, true},
		"the agent is away": {func(f *fakeAgents) { delete(f.answers, "shop-0") }, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				agents := &fakeAgents{answers: map[string]agentapi.Status{"shop-0": said}}
				watch := newAgentWatch(agents)
				watch.set(key, targets, []*agentapi.Status{&said})
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- watch.Start(ctx) }()
				c.then(agents)
				told := false
				select {
				case event := <-watch.changed:
					told = event.Object.Name == "shop" && event.Object.Namespace == "prod"
				case <-time.After(3 * askEvery):
				}
				if told != c.told {
					t.Errorf("a pass was asked for: %t", told)
				}
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A member that does not serve yet is asked often, and what it says on the way
// there causes no pass before it is time for that.
func TestAgentWatchSeesAStartSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		agents := &fakeAgents{answers: map[string]agentapi.Status{}}
		watch := newAgentWatch(agents)
		watch.set(types.NamespacedName{Namespace: "prod", Name: "shop"}, map[int]Target{0: {Pod: "shop-0"}}, []*agentapi.Status{nil})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- watch.Start(ctx) }()
		for _, said := range []agentapi.Status{{Reason: "Initialising"}, {Term: 1, Ready: true}} {
			agents.set("shop-0", said)
			select {
			case <-watch.changed:
				if !said.Ready {
					t.Error("a pass was asked for before the member served")
				}
			case <-time.After(2 * askSoon):
				if said.Ready {
					t.Error("nobody noticed that the member serves")
				}
			}
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// One that does not come up is not asked often for ever, and passes in between
// do not prolong it.
func TestAgentWatchTiresOfAStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := newAgentWatch(&fakeAgents{})
		key, targets := types.NamespacedName{Namespace: "prod", Name: "shop"}, map[int]Target{0: {Pod: "shop-0"}}
		watch.set(key, targets, []*agentapi.Status{nil})
		<-time.After(askSoonFor / 2)
		watch.set(key, targets, []*agentapi.Status{{Reason: "Initialising"}})
		if len(watch.waiting()) != 1 {
			t.Error("nobody waits for a member that starts")
		}
		<-time.After(askSoonFor/2 + time.Second)
		if len(watch.waiting()) != 0 {
			t.Error("the member is still asked often")
		}
	})
}

func TestAFailedPassIsRepeatedWithinAMinute(t *testing.T) {
	limiter, request := retries(), reconcile.Request{}
	first := limiter.When(request)
	for range 30 {
		limiter.When(request)
	}
	if last := limiter.When(request); first > time.Second || last < 30*time.Second || last > time.Minute {
		t.Errorf("pauses go from %s to %s", first, last)
	}
}

func TestAgentWatchForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		watch := newAgentWatch(&fakeAgents{})
		key := types.NamespacedName{Namespace: "prod", Name: "gone"}
		watch.set(key, map[int]Target{0: {Pod: "gone-0"}}, []*agentapi.Status{{Term: 1}})
		watch.forget(key)
		ctx, stop := context.WithTimeout(t.Context(), 3*askEvery)
		defer stop()
		go func() {
			for range watch.changed {
				t.Error("a deleted Database was told of")
			}
		}()
		if err := watch.Start(ctx); err != nil {
			t.Error(err)
		}
		close(watch.changed)
	})
}
