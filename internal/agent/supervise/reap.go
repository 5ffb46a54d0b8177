package supervise

import (
	"context"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// reapEvery is how often orphans that died are collected. They hold nothing but
// an entry in the process table, and a look without any costs one system call.
const reapEvery = time.Second

// owned are the children whose status somebody here waits for. The lock is held
// while a child is started and while a zombie is collected, so that no status
// is ever taken from its owner.
var owned = struct {
	sync.Mutex
	children  map[int]bool
	guardians map[int]bool
}{children: map[int]bool{}, guardians: map[int]bool{}}

// guardians are the processes that a fence must spare.
func guardians() map[int]bool {
	owned.Lock()
	defer owned.Unlock()
	spare := map[int]bool{}
	for pid := range owned.guardians {
		spare[pid] = true
	}
	return spare
}

// adopt makes orphans of the engine come back to this process even where it is
// not PID 1. The property belongs to the process, not to the thread.
var adopt = sync.OnceFunc(func() {
	// It can only fail on kernels older than 3.4.
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
})

// Reap collects orphans that died below this process, until ctx ends. Children
// of Start are never touched, nor are short commands run by os/exec: whoever
// waits for one of those has it at once, so only a zombie seen at two looks
// belongs to nobody.
func Reap(ctx context.Context) {
	adopt()
	ticker := time.NewTicker(reapEvery)
	defer ticker.Stop()
	before := map[process]bool{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			before = reapOrphans(before)
		}
	}
}

// reapOrphans collects the zombies that were there before and returns those
// that are new.
func reapOrphans(before map[process]bool) map[process]bool {
	if !anyDead() {
		return nil
	}
	all, err := table()
	if err != nil {
		return before
	}
	now := map[process]bool{}
	for _, p := range zombies(all) {
		if before[p] {
			collect(p.pid)
			continue
		}
		now[p] = true
	}
	return now
}

// anyDead asks the kernel without taking the answer from anybody.
func anyDead() bool {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	return err == nil && info.Signo != 0
}

// reapKilled collects what a fence has killed.
func reapKilled(all []process, killed map[int]bool) {
	for _, p := range zombies(all) {
		if killed[p.pid] {
			collect(p.pid)
		}
	}
}

// zombies are the dead children of this process.
func zombies(all []process) []process {
	var dead []process
	for _, p := range all {
		if p.parent == os.Getpid() && !p.alive() {
			dead = append(dead, p)
		}
	}
	return dead
}

// collect takes the status of one dead child that nobody waits for.
func collect(pid int) {
	owned.Lock()
	defer owned.Unlock()
	if owned.children[pid] || owned.guardians[pid] {
		return
	}
	_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil) // gone already is as good
}
