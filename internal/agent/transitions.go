package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
)

// keptTransitions is how many survive for an operator that was away.
const keptTransitions = 100

// transitions is the ring of what happened lately. It is kept on the volume,
// but nothing waits for that: it is for people.
type transitions struct {
	path string
	list []agentapi.Transition
	save chan []agentapi.Transition // holds the newest state to be written
}

// openTransitions reads what an earlier agent left. A file that cannot be read
// is forgotten, since nothing depends on it.
func openTransitions(dir string) (*transitions, error) {
	t := &transitions{path: filepath.Join(dir, "transitions.json"), save: make(chan []agentapi.Transition, 1)}
	text, err := os.ReadFile(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &t.list)
	}
	if err != nil {
		t.list = nil
		return t, fmt.Errorf("reading the last transitions: %w", err)
	}
	return t, nil
}

// add appends one. It never blocks.
func (t *transitions) add(now time.Time, reason, message string) {
	sequence := int64(1)
	if n := len(t.list); n > 0 {
		sequence = t.list[n-1].Sequence + 1
	}
	t.list = append(t.list, agentapi.Transition{Sequence: sequence, Time: now.UTC(), Reason: reason, Message: message})
	t.list = slices.Clone(t.list[max(0, len(t.list)-keptTransitions):])
	select {
	case <-t.save: // an older state that nobody has taken yet
	default:
	}
	t.save <- t.list
}

// run writes states until ctx ends, and the last one after that.
func (t *transitions) run(ctx context.Context, failed func(error)) {
	write := func(list []agentapi.Transition) {
		if err := replaceFile(t.path, list); err != nil {
			failed(fmt.Errorf("writing transitions: %w", err))
		}
	}
	for {
		select {
		case list := <-t.save:
			write(list)
		case <-ctx.Done():
			select {
			case list := <-t.save:
				write(list)
			default:
			}
			return
		}
	}
}

func replaceFile(path string, content any) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	// Without the flush a power cut may leave an empty file, and the sequence
	// would begin anew.
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}
