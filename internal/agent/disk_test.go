package agent

import (
	"fmt"
	"io/fs"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDiskTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		disk disk
		want string
	}{
		"not looked at yet":         {disk{}, ""},
		"enough is left":            {disk{Free: 1 << 30, Size: 10 << 30}, ""},
		"less than a log file left": {disk{Free: 1 << 20, Size: 10 << 30}, "DiskFull"},
		"no block left":             {disk{Err: fmt.Errorf("probing: %w", unix.ENOSPC)}, "DiskFull"},
		"no quota left":             {disk{Err: fmt.Errorf("probing: %w", unix.EDQUOT)}, "DiskFull"},
		"the disk fails":            {disk{Err: fmt.Errorf("probing: %w", fs.ErrInvalid)}, "DiskFailed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.disk.trouble().Reason; got != c.want {
				t.Errorf("reason is %q, want %q", got, c.want)
			}
		})
	}
}

func TestLookAtDiskFindsSpace(t *testing.T) {
	if d := lookAtDisk(t.TempDir()); d.Err != nil || d.Size == 0 {
		t.Errorf("disk is %+v", d)
	}
	if d := lookAtDisk("/nonexistent"); d.Err == nil {
		t.Error("a volume that is not there has no error")
	}
}

// An engine that removes old files and writes new ones moves about the limit.
func TestAFullVolumeIsWellOnlyWithSomeSpaceLeft(t *testing.T) {
	m := member{diskTold: "DiskFull"}
	for free, want := range map[uint64]string{diskFull - 1: "DiskFull", diskFull + 1: "DiskFull", 2 * diskFull: ""} {
		m.disk = disk{Free: free, Size: 1 << 30}
		if got := m.diskTrouble(time.Now()).Reason; got != want {
			t.Errorf("with %d bytes free: %q, want %q", free, got, want)
		}
	}
}

func TestTheVolumesHealthIsTold(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		tell := func(change func(m *member)) {
			done := make(chan struct{})
			w.member.events <- func() { change(w.member); w.member.tellDisk(time.Now()); close(done) }
			<-done
		}
		tell(func(m *member) { m.disk = disk{Free: 1, Size: 1 << 30} })
		tell(func(m *member) {
			m.disk, m.diskSince = disk{Free: 1 << 30, Size: 1 << 30}, time.Now().Add(-time.Minute)
			if m.publish(time.Now()); w.status().Ready {
				t.Error("it is ready while its volume does not answer")
			}
		})
		tell(func(m *member) { m.diskSince = time.Time{} })
		w.pass(time.Second)
		all := w.status().Transitions
		want := []string{"DiskFull", "DiskStuck", "DiskRecovered"}
		for i, tr := range all[len(all)-3:] {
			if tr.Reason != want[i] {
				t.Errorf("transition %d is %s, want %s", i, tr.Reason, want[i])
			}
		}
	})
}
