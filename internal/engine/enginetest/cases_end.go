package enginetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/myuser/db-operator/internal/agent/supervise"
)

var endCases = []Case{
	{"a fence under running statements leaves nothing, and the engine starts at once", func(t *testing.T, m *Member) {
		m.Lead(t)
		db := m.Client(t)
		createEntries(t, db)
		result := make(chan error, 1)
		go func() { result <- try(t.Context(), db, m.Engine.Dialect.Sleep) }()
		pause(t, 300*time.Millisecond) // the statement has begun
		begin := time.Now()
		Must(t, supervise.Fence(m.Context(t, fenceTime), m.Child))
		t.Logf("fenced in %s", time.Since(begin).Round(time.Millisecond))
		select {
		case err := <-result:
			if err == nil {
				t.Error("the statement ended well")
			}
		case <-time.After(5 * time.Second):
			t.Error("the client was told nothing")
		}
		m.Lead(t)
		Exec(t, m.Client(t), "INSERT INTO entries VALUES (1, 'x')")
	}},
	{"a clean stop is fast, ends with 0 and keeps everything", func(t *testing.T, m *Member) {
		m.Lead(t)
		db := m.Client(t)
		createEntries(t, db)
		Exec(t, db, "INSERT INTO entries VALUES (1, 'x')")
		idle, err := db.Conn(t.Context()) // it must not hold the engine up
		Must(t, err)
		defer idle.Close()
		begin := time.Now()
		if exit := m.Stop(t); exit.Code != 0 || exit.Signal != 0 {
			t.Errorf("it ended with %s", exit)
		}
		t.Logf("stopped in %s", time.Since(begin).Round(time.Millisecond))
		m.Lead(t)
		if lost := missing(t, m.Client(t), []int64{1}); len(lost) > 0 {
			t.Error("the row is gone")
		}
	}},
	{"a kill under load loses no acknowledged row", func(t *testing.T, m *Member) {
		m.Lead(t)
		createEntries(t, m.Client(t))
		var acknowledged []int64
		for round := range int64(3) {
			acknowledged = append(acknowledged, m.writeUntilKilled(t, round*1e9)...)
			m.Lead(t)
			if lost := missing(t, m.Client(t), acknowledged); len(lost) > 0 {
				t.Fatalf("round %d: %d of %d acknowledged rows are gone, the first is %d", round, len(lost), len(acknowledged), lost[0])
			}
		}
		t.Logf("%d rows acknowledged", len(acknowledged))
	}},
	{"the log is read line by line", func(t *testing.T, m *Member) {
		m.Lead(t)
		if m.Engine.Dialect.Broken != "" {
			if err := try(t.Context(), m.Client(t), m.Engine.Dialect.Broken); err == nil {
				t.Error("the broken statement succeeded")
			}
		}
		m.Stop(t)
		records, errors := 0, 0
		for _, line := range m.logged() {
			switch {
			case line.parsed.Continuation:
			case line.parsed.Time.IsZero() || line.parsed.Level == "":
				t.Errorf("not understood: %q", line.text)
			default:
				records++
				if line.parsed.Level == "error" && line.parsed.Code != "" {
					errors++
				}
			}
		}
		if records < 5 {
			t.Errorf("only %d records", records)
		}
		if errors == 0 && m.Engine.Dialect.Broken != "" {
			t.Error("the broken statement is not among them")
		}
	}},
	{"no password is ever written to the log", func(t *testing.T, m *Member) {
		m.Lead(t)
		m.Access.App.Password = "a-Secret-to-look-for"
		Must(t, m.Driver.EnsureAccounts(m.Context(t, verbTime), m.Access))
		Must(t, m.TryLogin(t.Context(), m.Login(m.Access.App)))
		m.Stop(t)
		expectUnwritten(t, m, m.Access.App.Password, m.Access.Admin.Password)
	}},
}

// writeUntilKilled inserts from several clients, kills the engine in the midst
// and returns the ids that were acknowledged.
func (m *Member) writeUntilKilled(t *testing.T, first int64) []int64 {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	var writers sync.WaitGroup
	var mutex sync.Mutex
	var acknowledged []int64
	for w := range int64(4) {
		db := m.Client(t)
		writers.Go(func() {
			for id := first + w*1e6; insert(ctx, db, id, fmt.Sprint(id)) == nil; id++ {
				mutex.Lock()
				acknowledged = append(acknowledged, id)
				mutex.Unlock()
			}
		})
	}
	Eventually(t, startTime, "200 rows are acknowledged", func() error {
		mutex.Lock()
		defer mutex.Unlock()
		if len(acknowledged) < 200 {
			return fmt.Errorf("only %d are", len(acknowledged))
		}
		return nil
	})
	m.Kill(t)
	writers.Wait()
	return acknowledged
}
