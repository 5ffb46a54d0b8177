package agent

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
)

// folder writes files and returns their folder.
func folder(t *testing.T, dir string, files map[string]string) string {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const document = `{"namespace":"shop","name":"db","engine":"fake","version":"1","register":"db-ha"}`

func TestReadMounts(t *testing.T) {
	authority := newAuthority(t)
	mine, other := memberKeys(t, authority, "db-0", time.Now()), memberKeys(t, authority, "db-1", time.Now())
	for name, c := range map[string]struct {
		file, content string
		want          string // part of the error, empty if it can be used
	}{
		"a complete state":            {"", "", ""},
		"a document that is none":     {"spec/spec.json", "{", "reading spec"},
		"a key of another state":      {"tls/0.key", string(other.Key), "key pair of member 0"},
		"no key pair of this ordinal": {"tls/0.crt", "", "key pair of member 0"},
		"no CA":                       {"tls/ca.crt", "", "ca.crt"},
		"no password":                 {"app/password", "", "username and password"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			l := Layout{
				Spec:  folder(t, root+"/spec", map[string]string{"spec.json": document, "..data": "kubelet's own"}),
				TLS:   folder(t, root+"/tls", map[string]string{"0.crt": string(mine.Certificate), "0.key": string(mine.Key), "ca.crt": string(mine.CA)}),
				App:   folder(t, root+"/app", map[string]string{"username": "app", "password": "a"}),
				Admin: folder(t, root+"/admin", map[string]string{"username": "admin", "password": "b"}),
			}
			if c.file != "" {
				folder(t, filepath.Dir(filepath.Join(root, c.file)), map[string]string{filepath.Base(c.file): c.content})
			}
			m, err := readMounts(l, 0)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("error is %v, want one with %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			hash := agentapi.HashFiles([]byte(document),
				map[string][]byte{"0.crt": mine.Certificate, "0.key": mine.Key, "ca.crt": mine.CA},
				map[string][]byte{"username": []byte("app"), "password": []byte("a")},
				map[string][]byte{"username": []byte("admin"), "password": []byte("b")})
			if m.Hash != hash || m.Spec.Name != "db" || m.Admin.Password != "b" {
				t.Errorf("mounts are %+v", m)
			}
		})
	}
}

func TestServerIDsDiffer(t *testing.T) {
	seen := map[uint32]bool{}
	for _, uid := range []string{"", "uid-a", "uid-b"} {
		for ordinal := range maxMembers {
			id := serverID(uid, ordinal)
			if id == 0 || seen[id] {
				t.Errorf("server id %d of %q, %d is 0 or used before", id, uid, ordinal)
			}
			seen[id] = true
		}
	}
}

func TestNewUIDIsAUUIDInLowerCase(t *testing.T) {
	uid := newUID()
	if len(uid) != 36 || uid != strings.ToLower(uid) || uid[14] != '4' || uid == newUID() {
		t.Errorf("uid is %s", uid)
	}
}

// kubelet shows a new state by exchanging one link.
func TestWatchMountsSeesAnExchangedLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		root := t.TempDir()
		k := memberKeys(t, newAuthority(t), "db-0", time.Now())
		l := DefaultLayout(root)
		show := func(state, password string) {
			for dir, files := range map[string]map[string]string{
				l.Spec:  {"spec.json": document},
				l.TLS:   {"0.crt": string(k.Certificate), "0.key": string(k.Key), "ca.crt": string(k.CA)},
				l.App:   {"username": "app", "password": password},
				l.Admin: {"username": "admin", "password": "b"},
			} {
				folder(t, filepath.Join(dir, state), files)
				for name := range files {
					_ = os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)) // there from the second time on
				}
				if err := errors.Join(os.Symlink(state, dir+"/..next"), os.Rename(dir+"/..next", dir+"/..data")); err != nil {
					t.Fatal(err)
				}
			}
		}
		show("..1", "one")
		ctx, cancel := context.WithCancel(t.Context())
		found := make(chan mounts)
		var watcher sync.WaitGroup
		watcher.Go(func() {
			watchMounts(ctx, l, 0, func(m mounts) { found <- m }, func(err error) { t.Error(err) })
		})
		if m := <-found; m.App.Password != "one" {
			t.Errorf("password is %s", m.App.Password)
		}
		show("..2", "two")
		if m := <-found; m.App.Password != "two" {
			t.Errorf("password is %s", m.App.Password)
		}
		cancel()
		watcher.Wait()
	})
}
