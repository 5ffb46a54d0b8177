package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// slotSize is written once when a slot is made, so that a full volume cannot
// keep a member from noting a promise. A bigger state needs space.
const slotSize = 64 << 10

// maxSlot bounds what is read.
const maxSlot = 8 << 20

var slotNames = [2]string{"state-0", "state-1"}

var (
	// ErrLocked: another process holds the volume's state.
	ErrLocked = errors.New("another process uses this volume")
	// ErrDamaged: no slot can be read. A person has to look at the volume.
	ErrDamaged = errors.New("the member's state is damaged")
)

// Store is the open state of one volume. It is safe for concurrent use.
type Store struct {
	dir  string
	lock *os.File

	state atomic.Pointer[State] // never changed in place

	mu       sync.Mutex // held while a slot is written
	good     int        // slot that holds state
	sequence uint64     // highest that was ever tried
}

// Open reads the state below dir, which it makes if need be, and takes the
// lock on it. A slot that was torn by a crash is passed over, since nothing
// was done yet that relies on it. The errors are ErrLocked, ErrDamaged and
// those of the file system.
func Open(dir string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			err = ErrLocked
		}
		return nil, fmt.Errorf("locking the state: %w", err)
	}
	s := &Store{dir: dir, lock: lock}
	s.state.Store(&State{})
	if err := s.load(); err != nil {
		lock.Close()
		return nil, fmt.Errorf("opening the state: %w", err)
	}
	return s, nil
}

func (s *Store) load() error {
	s.good = 1 // so that slot 0 is written first
	var damaged []error
	empty := 0
	for i, name := range slotNames {
		content, err := readSlot(filepath.Join(s.dir, name))
		if err != nil {
			return err
		}
		sequence, state, err := decode(content)
		switch {
		case err == nil && sequence >= s.sequence:
			s.sequence, s.good = sequence, i
			s.state.Store(&state)
		case err == nil:
		case errors.Is(err, errEmpty):
			empty++
		case errors.Is(err, errNewer):
			return fmt.Errorf("%s: %w", name, err)
		default:
			damaged = append(damaged, fmt.Errorf("%s: %w", name, err))
		}
	}
	// One damaged and one empty slot are a first write that never ended.
	if s.sequence == 0 && len(damaged) == len(slotNames) {
		return fmt.Errorf("%w: %w", ErrDamaged, errors.Join(damaged...))
	}
	if empty == 0 {
		return nil
	}
	return s.make()
}

// readSlot returns nothing for a file that does not exist.
func readSlot(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSlot {
		return nil, fmt.Errorf("%w: %s has %d bytes", ErrDamaged, path, info.Size())
	}
	return os.ReadFile(path)
}

// make fills the files of empty slots, so that their blocks are there.
func (s *Store) make() error {
	for _, name := range slotNames {
		path := filepath.Join(s.dir, name)
		if info, err := os.Stat(path); err == nil && info.Size() >= slotSize {
			continue
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		info, err := file.Stat()
		if err == nil {
			_, err = file.WriteAt(make([]byte, slotSize-info.Size()), info.Size())
		}
		if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
			return err
		}
	}
	return syncDir(s.dir)
}

// Get is the current state. It does not block, not even while the disk hangs
// in an Update.
func (s *Store) Get() State { return *s.state.Load() }

// Update changes the state and returns when the change is durable; a change
// that changes nothing costs nothing. After an error Get is as before, though
// the change may be found after a restart: whoever updates only ever promises
// more, counts on, or notes what it is about to try.
func (s *Store) Update(change func(*State)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.Get()
	change(&next)
	if reflect.DeepEqual(next, s.Get()) {
		return nil
	}
	s.sequence++
	content, err := encode(s.sequence, next)
	if err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	slot := 1 - s.good
	if err := overwrite(filepath.Join(s.dir, slotNames[slot]), content); err != nil {
		return fmt.Errorf("writing the state: %w", err)
	}
	s.good = slot
	s.state.Store(&next)
	return nil
}

// overwrite keeps the file's blocks: a full disk does not stop it.
func overwrite(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.WriteAt(content, 0)
	return errors.Join(err, file.Sync(), file.Close())
}

func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Close gives the lock up.
func (s *Store) Close() error { return s.lock.Close() }
