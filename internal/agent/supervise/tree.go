package supervise

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// process is one line of the process table. Start tells two processes apart
// that had the same pid one after the other.
type process struct {
	pid, parent int
	start       uint64
	state       byte
	threads     int
}

// alive is false for a zombie. A zombie that still has threads is a process
// whose first thread is gone while another may yet finish a write.
func (p process) alive() bool {
	return p.state != 'Z' && p.state != 'X' || p.threads > 1
}

// table reads /proc once. It is not atomic: a process may fork behind the
// reader's back, so one empty look proves nothing (see fenceTree).
func table() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("reading the process table: %w", err)
	}
	var all []process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := look(pid); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// look reads one process; ok is false if there is none.
func look(pid int) (p process, ok bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	return parseStat(stat)
}

// parseStat reads /proc/<pid>/stat. The second field is the program's name in
// parentheses and may itself hold spaces and parentheses.
func parseStat(stat []byte) (p process, ok bool) {
	open, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if open < 0 || end < open {
		return process{}, false
	}
	// Fields from the third on; numbers are those of proc_pid_stat(5).
	rest := bytes.Fields(stat[end+1:])
	if len(rest) < 20 || len(rest[0]) != 1 {
		return process{}, false
	}
	pid, err1 := strconv.Atoi(string(bytes.TrimSpace(stat[:open])))
	parent, err2 := strconv.Atoi(string(rest[1]))              // 4
	threads, err3 := strconv.Atoi(string(rest[17]))            // 20
	start, err4 := strconv.ParseUint(string(rest[19]), 10, 64) // 22
	if errors.Join(err1, err2, err3, err4) != nil {
		return process{}, false
	}
	return process{pid: pid, parent: parent, start: start, state: rest[0][0], threads: threads}, true
}

// below lists the living processes of all that descend from root, root itself
// left out, and neither except nor what descends from it.
func below(all []process, root int, except map[int]bool) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var found []process
	seen := map[int]bool{root: true}
	for queue := []int{root}; len(queue) > 0; queue = queue[1:] {
		for _, p := range children[queue[0]] {
			if seen[p.pid] || except[p.pid] {
				continue
			}
			seen[p.pid] = true
			queue = append(queue, p.pid)
			if p.alive() {
				found = append(found, p)
			}
		}
	}
	return found
}

// kill sends SIGKILL to exactly this process. The handle is opened before the
// second look, so that a successor of the same pid is never hit.
func (p process) kill() error {
	fd, err := unix.PidfdOpen(p.pid, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM): // sandboxes without process handles
		return gone(unix.Kill(p.pid, unix.SIGKILL))
	case err != nil:
		return fmt.Errorf("opening process %d: %w", p.pid, err)
	}
	defer unix.Close(fd)
	if now, ok := look(p.pid); !ok || now.start != p.start {
		return nil
	}
	return gone(unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0))
}

// gone forgives the one error that means success: there is no such process.
func gone(err error) error {
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
