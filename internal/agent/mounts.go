package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/pod"
)

// lookEvery is how often the mounted files are read again. kubelet exchanges
// them without a sound; the files are few and lie in memory.
const lookEvery = time.Second

// mounts is one complete and consistent reading of what the operator mounted.
type mounts struct {
	Hash string // as agentapi.HashFiles has it
	Spec agentapi.Spec
	Keys keys
	// Accounts, without the replication subjects.
	App, Admin engine.Credential
}

// keys is this member's key pair and the Database's CA.
type keys struct {
	Certificate, Key, CA []byte // PEM
	pair                 tls.Certificate
	roots                *x509.CertPool
}

// readMounts fails rather than return a mixture of two states: a key that does
// not belong to its certificate is one that is being exchanged.
func readMounts(l Layout, ordinal int) (mounts, error) {
	text, err := os.ReadFile(filepath.Join(l.Spec, pod.SpecFile))
	if err != nil {
		return mounts{}, err
	}
	m := mounts{}
	if m.Spec, err = agentapi.ParseSpec(text); err != nil {
		return mounts{}, err
	}
	certificates, err := readFolder(l.TLS)
	if err != nil {
		return mounts{}, err
	}
	if m.Keys, err = parseKeys(certificates, ordinal); err != nil {
		return mounts{}, err
	}
	app, err := readFolder(l.App)
	if err != nil {
		return mounts{}, err
	}
	admin, err := readFolder(l.Admin)
	if err != nil {
		return mounts{}, err
	}
	if m.App, err = credential(app); err != nil {
		return mounts{}, fmt.Errorf("reading %s: %w", l.App, err)
	}
	if m.Admin, err = credential(admin); err != nil {
		return mounts{}, fmt.Errorf("reading %s: %w", l.Admin, err)
	}
	m.Hash = agentapi.HashFiles(text, certificates, app, admin)
	return m, nil
}

// readFolder reads the keys of a mounted Secret. Names that begin with two dots
// are kubelet's own.
func readFolder(path string) (map[string][]byte, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), "..") {
			continue
		}
		if files[entry.Name()], err = os.ReadFile(filepath.Join(path, entry.Name())); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func parseKeys(files map[string][]byte, ordinal int) (keys, error) {
	k := keys{
		Certificate: files[fmt.Sprintf("%d.crt", ordinal)],
		Key:         files[fmt.Sprintf("%d.key", ordinal)],
		CA:          files[pod.CAFile],
	}
	var err error
	if k.pair, err = tls.X509KeyPair(k.Certificate, k.Key); err != nil {
		return keys{}, fmt.Errorf("reading the key pair of member %d: %w", ordinal, err)
	}
	k.roots = x509.NewCertPool()
	if !k.roots.AppendCertsFromPEM(k.CA) {
		return keys{}, fmt.Errorf("reading %s: no certificate in it", pod.CAFile)
	}
	return k, nil
}

func credential(files map[string][]byte) (engine.Credential, error) {
	c := engine.Credential{Name: string(files["username"]), Password: string(files["password"])}
	if c.Name == "" || c.Password == "" {
		return engine.Credential{}, errors.New("username and password must both be set")
	}
	return c, nil
}

// watchMounts calls found for every new state and failed when reading begins to
// fail in a new way, until ctx ends.
func watchMounts(ctx context.Context, l Layout, ordinal int, found func(mounts), failed func(error)) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	hash, problem, links := "", "", ""
	look := func() {
		m, err := readMounts(l, ordinal)
		switch {
		case err != nil && err.Error() != problem:
			problem = err.Error()
			failed(err)
		case err == nil && (m.Hash != hash || problem != ""):
			hash, problem = m.Hash, ""
			found(m)
		}
	}
	for {
		if now := generations(l); now == "" || now != links || problem != "" {
			look()
			links = now
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// generations names the states that kubelet shows: it exchanges the files of a
// mount by one link. It is empty where there are no such links.
func generations(l Layout) string {
	all := ""
	for _, dir := range []string{l.Spec, l.TLS, l.App, l.Admin} {
		target, err := os.Readlink(filepath.Join(dir, "..data"))
		if err != nil {
			return ""
		}
		all += target + "\n"
	}
	return all
}
