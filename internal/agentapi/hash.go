package agentapi

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
)

// accountKeys are the keys of the account Secrets that an agent reads. The
// others are derived from them, for clients.
var accountKeys = []string{"username", "password"}

// HashFiles names one state of everything that is mounted into a member: the
// text of spec.json, all of Secret <name>-tls, and of the two account Secrets
// the keys username and password. Both sides compute it, so that one can tell
// that the other has put a state in force. Passwords cannot be guessed from
// it, because private keys go into it.
func HashFiles(spec []byte, tls, app, admin map[string][]byte) string {
	hash := sha256.New()
	add := func(text []byte) {
		hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		hash.Write(text)
	}
	add(spec)
	for _, name := range slices.Sorted(maps.Keys(tls)) {
		add([]byte(name))
		add(tls[name])
	}
	for _, account := range []map[string][]byte{app, admin} {
		for _, key := range accountKeys {
			add(account[key])
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
