package driver

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// sizes are settings that a standby may not have lower than the primary whose
// log it replays, itself of yesterday included, and pg_controldata's words
// for them.
// https://www.postgresql.org/docs/current/hot-standby.html#HOT-STANDBY-ADMIN
var sizes = []struct{ setting, label string }{
	{"max_connections", "max_connections setting"},
	{"max_worker_processes", "max_worker_processes setting"},
	{"max_wal_senders", "max_wal_senders setting"},
	{"max_prepared_transactions", "max_prepared_xacts setting"},
	{"max_locks_per_transaction", "max_locks_per_xact setting"},
}

// lowered tells whether one of them is to be lower than the log says. The
// server would end itself as a standby that answers; as one that answers
// nobody it replays all the same, and takes the new values when promoted.
func (d *Driver) lowered() (bool, error) {
	path, err := find("pg_controldata")
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), statementTime)
	defer cancel()
	command := exec.CommandContext(ctx, path, "-D", d.paths.DataDir)
	command.Env = append(command.Environ(), "LC_ALL=C")
	output, err := command.Output()
	if err != nil {
		return false, fmt.Errorf("reading the control file: %w", err)
	}
	kept := map[string]int{}
	for line := range strings.Lines(string(output)) {
		label, value, _ := strings.Cut(line, ":")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			kept[label] = n
		}
	}
	for _, s := range sizes {
		if postgres.WantedSize(s.setting, d.config.Parameters) < kept[s.label] {
			return true, nil
		}
	}
	return false, nil
}

// recovery knows what the server's log says while it refuses logins.
type recovery struct {
	mutex      sync.Mutex
	silent     bool      // started as a standby that answers nobody
	consistent time.Time // when it could have begun to answer; zero: not yet
}

// Messages of the server, in the language that required settings give it.
const (
	consistentMessage = "consistent recovery state reached"
	// consistentGrace: logins are accepted within milliseconds of that message,
	// or never.
	consistentGrace = time.Second
)

func (r *recovery) begin(silent bool) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.silent, r.consistent = silent, time.Time{}
}

// listen is the server's engine.LogParser, and remembers one message.
func (r *recovery) listen(line string) engine.LogLine {
	parsed := postgres.ParseLog(line)
	if strings.HasPrefix(parsed.Message, consistentMessage) {
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.consistent = time.Now()
	}
	return parsed
}

// mute tells a server that recovers and will let nobody in before it is
// promoted from one that only needs time. Two are known: one started so
// (see lowered), and one that was killed while a transaction had more than 64
// subtransactions, since it cannot tell a reader what was running.
func (r *recovery) mute() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.silent || !r.consistent.IsZero() && time.Since(r.consistent) > consistentGrace
}
