package state

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/ha"
)

func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func update(t *testing.T, s *Store, change func(*State)) {
	t.Helper()
	if err := s.Update(change); err != nil {
		t.Fatal(err)
	}
}

func boots(n int64) func(*State) { return func(s *State) { s.Boot = n } }

func TestStateOutlivesItsProcess(t *testing.T) {
	dir := t.TempDir()
	record := ha.First("uid-a", "fast").Claim("uid-a")
	want := State{
		ClusterUID: "c", MemberUID: "uid-a", Claim: "p", Namespace: "shop", Name: "orders", Engine: "e",
		Boot: 3, Nonce: "n", Floor: 2, Promotions: 7, Seen: &record, Pending: &record,
		Spec: &agentapi.Spec{Name: "orders", Parameters: map[string]string{"a": "b"}}, Restarted: 4, Job: "clone",
	}
	s := open(t, dir)
	update(t, s, func(s *State) { *s = want })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, open(t, dir).Get()); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func TestTheLockKeepsASecondProcessOut(t *testing.T) {
	dir := t.TempDir()
	open(t, dir)
	if _, err := Open(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("error is %v, want %v", err, ErrLocked)
	}
}

func TestAnUpdateThatChangesNothingWritesNothing(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	update(t, s, boots(1))
	before := s.sequence
	update(t, s, boots(1))
	if s.sequence != before {
		t.Error("a slot was written")
	}
}

// slots reads both files.
func slots(t *testing.T, dir string) [2][]byte {
	t.Helper()
	var out [2][]byte
	for i, name := range slotNames {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[i] = content
	}
	return out
}

// A crash may leave any prefix of a write on the disk, over what was there.
func TestAWriteTornAnywhereLeavesTheOldStateOrTheNew(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	for boot := range int64(3) {
		update(t, s, boots(boot+1))
	}
	before := slots(t, dir)
	update(t, s, boots(4))
	after := slots(t, dir)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	torn := 0
	for i := range slotNames {
		if bytes.Equal(before[i], after[i]) {
			continue
		}
		for cut := range header + 32 {
			content := append(bytes.Clone(after[i][:cut]), before[i][cut:]...)
			if err := os.WriteFile(filepath.Join(dir, slotNames[i]), content, 0o600); err != nil {
				t.Fatal(err)
			}
			s := open(t, dir)
			if boot := s.Get().Boot; boot != 3 && boot != 4 {
				t.Fatalf("cut at %d: boot is %d, want 3 or 4", cut, boot)
			}
			update(t, s, boots(5)) // the state stays writable
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			again := open(t, dir)
			if boot := again.Get().Boot; boot != 5 {
				t.Fatalf("cut at %d: boot is %d after another write, want 5", cut, boot)
			}
			_ = again.Close()
			for j, name := range slotNames {
				if err := os.WriteFile(filepath.Join(dir, name), before[j], 0o600); err != nil {
					t.Fatal(err)
				}
			}
			torn++
		}
	}
	if torn == 0 {
		t.Error("no slot changed: the test shows nothing")
	}
}

func TestAFirstWriteThatNeverEndedIsNone(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	update(t, s, boots(1))
	content := slots(t, dir)[0]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	clear(content[header/2:])
	if err := os.WriteFile(filepath.Join(dir, slotNames[0]), content, 0o600); err != nil {
		t.Fatal(err)
	}
	if boot := open(t, dir).Get().Boot; boot != 0 {
		t.Errorf("boot is %d, want 0", boot)
	}
}

func TestTwoDamagedSlotsAreNotAFreshVolume(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	update(t, s, boots(1))
	update(t, s, boots(2))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range slotNames {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("something else"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(dir); !errors.Is(err, ErrDamaged) {
		t.Errorf("error is %v, want %v", err, ErrDamaged)
	}
}

func TestTheStateOfANewerAgentIsRefused(t *testing.T) {
	dir := t.TempDir()
	open(t, dir).Close()
	if err := os.WriteFile(filepath.Join(dir, slotNames[1]), append([]byte("dbstate2"), make([]byte, 100)...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); !errors.Is(err, errNewer) {
		t.Errorf("error is %v, want %v", err, errNewer)
	}
}

func TestAFailedUpdateLeavesTheStateAsItWas(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	update(t, s, boots(1))
	missing := filepath.Join(dir, slotNames[1])
	if err := os.Rename(missing, missing+".away"); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(boots(2)); err == nil || s.Get().Boot != 1 {
		t.Errorf("error is %v and boot %d, want an error and 1", err, s.Get().Boot)
	}
	if err := os.Rename(missing+".away", missing); err != nil {
		t.Fatal(err)
	}
	update(t, s, boots(3))
	if boot := s.Get().Boot; boot != 3 {
		t.Errorf("boot is %d, want 3", boot)
	}
}

func FuzzDecode(f *testing.F) {
	record := ha.First("uid-a", "fast")
	slot, err := encode(9, State{Boot: 4, Seen: &record})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(slot)
	f.Add(append(slot, make([]byte, 100)...))
	f.Add(slot[:len(slot)-1])
	f.Add([]byte("dbstate9"))
	f.Add(make([]byte, 64))
	f.Fuzz(func(t *testing.T, slot []byte) {
		sequence, s, err := decode(slot)
		if err != nil {
			return
		}
		again, err := encode(sequence, s)
		if err != nil {
			t.Fatal(err)
		}
		sequence2, s2, err := decode(again)
		if err != nil || sequence2 != sequence || !cmp.Equal(s, s2) {
			t.Errorf("state is not itself again: %v", err)
		}
	})
}
