package supervise

import (
	"context"
	"fmt"
	"os"
	"time"
)

// lookEvery is the pause between two looks at the process table while killed
// processes go away: short beside the 250 ms that a kill may take, long beside
// the look itself.
const lookEvery = 5 * time.Millisecond

// Fence kills the engine's main process and then everything that descends from
// this process, except the guardian, and proves by looking that nothing of it
// is left. child may be nil or gone already. Processes that came in from
// outside, by kubectl exec, have another parent and are left alone.
//
// It kills by descent, because the backends of an engine may each be a process
// group of their own. It returns nil only with the proof, else an error that
// names what is still alive when ctx ends. Asking again is harmless.
func Fence(ctx context.Context, child *Child) error {
	adopt()
	if child != nil {
		if err := child.Kill(); err != nil {
			return fmt.Errorf("fencing: %w", err)
		}
	}
	if err := fenceTree(ctx, os.Getpid(), guardians()); err != nil {
		return err
	}
	if child == nil {
		return nil
	}
	select { // its status is the last thing to wait for
	case <-child.Exited():
		return nil
	case <-ctx.Done():
		return fmt.Errorf("fencing: waiting for the status of process %d: %w", child.Pid(), ctx.Err())
	}
}

// fenceTree kills all that descends from root until two looks in a row find
// nothing alive. Two, because during one look a process can pass its life on
// to a child whose place in the table was already read.
func fenceTree(ctx context.Context, root int, except map[int]bool) error {
	killed := map[int]bool{}
	for empty := 0; empty < 2; {
		all, err := table()
		if err != nil {
			return fmt.Errorf("fencing: %w", err)
		}
		left := below(all, root, except)
		for _, p := range left {
			killed[p.pid] = true
			if err := p.kill(); err != nil {
				return fmt.Errorf("fencing: killing process %d: %w", p.pid, err)
			}
		}
		if root == os.Getpid() {
			reapKilled(all, killed)
		}
		if len(left) == 0 {
			empty++
			continue
		}
		empty = 0
		select {
		case <-ctx.Done():
			return fmt.Errorf("fencing: %d processes are still alive, the first is %d in state %c: %w",
				len(left), left[0].pid, left[0].state, ctx.Err())
		case <-time.After(lookEvery):
		}
	}
	return nil
}
