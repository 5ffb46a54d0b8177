package controllers

import (
	"context"
	"errors"
	"sync"

	"github.com/myuser/db-operator/internal/agentapi"
)

// fakeAgents answers from a table, by pod; what is not in it is away.
type fakeAgents struct {
	mu       sync.Mutex
	answers  map[string]agentapi.Status
	restarts []int64
}

func (f *fakeAgents) Status(_ context.Context, target Target) (agentapi.Status, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer, ok := f.answers[target.Pod]
	if !ok {
		return agentapi.Status{}, errors.New("connection refused")
	}
	return answer, nil
}

func (f *fakeAgents) Restart(_ context.Context, _ Target, order agentapi.Restart) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.restarts = append(f.restarts, order.Generation)
	return nil
}

func (f *fakeAgents) set(pod string, answer agentapi.Status) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[pod] = answer
}
