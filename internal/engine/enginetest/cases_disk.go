package enginetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// smallVolume names the folder of a small file system, a few hundred MB, that
// is the suite's to fill.
const smallVolume = "ENGINETEST_SMALL"

// stuckTime is after how long an unanswered write counts as refused: some
// engines wait for space.
const stuckTime = 5 * time.Second

var diskCases = []Case{
	{"a full disk is reported, loses nothing acknowledged, and heals when there is space", diskFull},
}

func diskFull(t *testing.T, m *Member) {
	volume := os.Getenv(smallVolume)
	if volume == "" {
		t.Fatalf("%s names no small file system: run with image run --tmpfs-size /small=400m --env %s=/small", smallVolume, smallVolume)
	}
	m = m.suite.member(t, volume)
	m.Lead(t)
	db := m.Client(t)
	createEntries(t, db)
	ballast := filepath.Join(volume, "ballast")
	t.Cleanup(func() { _ = os.Remove(ballast) })
	fill(t, ballast, m.Engine.Spare)

	acknowledged, reason := writeUntilFull(t, db)
	t.Logf("%d rows acknowledged, then: %v", len(acknowledged), reason)
	if len(acknowledged) == 0 {
		t.Error("the disk was full before the first row")
	}
	Eventually(t, verbTime, "the engine's log says it", func() error {
		for _, line := range m.logged() {
			if line.parsed.Level == "error" || line.parsed.Level == "fatal" {
				return nil
			}
		}
		return errors.New("it has no error")
	})
	// A member that is restarted while the disk is still full does no harm,
	// whether it comes up or not.
	m.Kill(t)
	m.Launch(t)
	select {
	case <-m.Child.Exited():
		t.Logf("on the full disk it ended: %s, %q", m.Child.Exit(), m.Child.LastErrors())
	case <-time.After(3 * time.Second):
		t.Log("it came up on the full disk")
	}
	m.Kill(t)

	Must(t, os.Remove(ballast))
	m.Lead(t)
	db = m.Client(t)
	if lost := missing(t, db, acknowledged); len(lost) > 0 {
		t.Errorf("%d of %d acknowledged rows are gone", len(lost), len(acknowledged))
	}
	Must(t, insert(m.Context(t, verbTime), db, 1<<40, "after"))
}

// fill makes a file that leaves this many bytes free.
func fill(t *testing.T, path string, spare int64) {
	t.Helper()
	var fs syscall.Statfs_t
	Must(t, syscall.Statfs(filepath.Dir(path), &fs))
	free := int64(fs.Bavail) * fs.Bsize
	if free <= spare {
		t.Fatalf("the small volume has %d bytes free beside the member, and %d are to be spared: make it bigger", free, spare)
	}
	file, err := os.Create(path)
	Must(t, err)
	defer file.Close()
	Must(t, syscall.Fallocate(int(file.Fd()), 0, 0, free-spare))
}

// writeUntilFull inserts rows that cannot be compressed until one is refused.
func writeUntilFull(t *testing.T, db *sql.DB) (acknowledged []int64, reason error) {
	t.Helper()
	noise := make([]byte, 24<<10) // a text of at most 64 KiB is what every engine takes
	for id := int64(1); id < 40000; id++ {
		_, _ = rand.Read(noise) // it never fails
		ctx, cancel := context.WithTimeout(t.Context(), stuckTime)
		err := insert(ctx, db, id, hex.EncodeToString(noise))
		cancel()
		if err != nil {
			return acknowledged, err
		}
		acknowledged = append(acknowledged, id)
	}
	return acknowledged, errors.New("the disk never filled")
}
