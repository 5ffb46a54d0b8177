package driver

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A verifier is what the server keeps instead of a password. It is computed
// here, so that no password is ever in a statement.
// https://www.postgresql.org/docs/current/catalog-pg-authid.html
type verifier struct {
	iterations        int
	salt              []byte
	stored, serverKey []byte
}

const (
	verifierPrefix = "SCRAM-SHA-256$"
	// iterations and saltBytes are the server's own defaults.
	iterations = 4096
	saltBytes  = 16
)

// newVerifier makes one with a fresh salt.
func newVerifier(password string) (verifier, error) {
	salt := make([]byte, saltBytes)
	_, _ = rand.Read(salt) // it never fails
	return derive(password, salt, iterations)
}

// derive follows RFC 5802, section 3.
func derive(password string, salt []byte, iterations int) (verifier, error) {
	salted, err := pbkdf2.Key(sha256.New, prepare(password), salt, iterations, sha256.Size)
	if err != nil {
		return verifier{}, fmt.Errorf("deriving a verifier: %w", err)
	}
	stored := sha256.Sum256(mac(salted, "Client Key"))
	return verifier{iterations, salt, stored[:], mac(salted, "Server Key")}, nil
}

func mac(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// String is the form that the server keeps.
func (v verifier) String() string {
	encode := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s%d:%s$%s:%s", verifierPrefix, v.iterations, encode(v.salt), encode(v.stored), encode(v.serverKey))
}

// parseVerifier reads that form; anything else, an old MD5 hash too, is not one.
func parseVerifier(text string) (verifier, bool) {
	rest, ours := strings.CutPrefix(text, verifierPrefix)
	head, keys, ok := strings.Cut(rest, "$")
	count, salt, ok2 := strings.Cut(head, ":")
	stored, server, ok3 := strings.Cut(keys, ":")
	n, err := strconv.Atoi(count)
	if !ours || !ok || !ok2 || !ok3 || err != nil || n < 1 {
		return verifier{}, false
	}
	v := verifier{iterations: n}
	for into, encoded := range map[*[]byte]string{&v.salt: salt, &v.stored: stored, &v.serverKey: server} {
		if *into, err = base64.StdEncoding.DecodeString(encoded); err != nil {
			return verifier{}, false
		}
	}
	return v, len(v.stored) == sha256.Size && len(v.serverKey) == sha256.Size
}

// maxIterations bounds the work that comparing with a kept verifier takes.
const maxIterations = 1 << 20

// verifies tells whether the kept verifier is one of this password.
func verifies(kept, password string) bool {
	v, ok := parseVerifier(kept)
	if !ok || v.iterations > maxIterations {
		return false
	}
	w, err := derive(password, v.salt, v.iterations)
	return err == nil && subtle.ConstantTimeCompare(v.stored, w.stored) == 1 &&
		subtle.ConstantTimeCompare(v.serverKey, w.serverKey) == 1
}

// prepare is SASLprep (RFC 4013) as server and clients apply it: a password
// that it forbids is used as it is.
func prepare(password string) string {
	ascii := true
	for i := range len(password) {
		ascii = ascii && password[i] < utf8.RuneSelf
	}
	if ascii || !utf8.ValidString(password) {
		return password
	}
	mapped := strings.Map(func(r rune) rune {
		switch {
		case r >= utf8.RuneSelf && unicode.Is(unicode.Zs, r) || r == 0x200B:
			return ' '
		case mappedToNothing(r):
			return -1
		}
		return r
	}, password)
	normal := norm.NFKC.String(mapped)
	if normal == "" || strings.ContainsFunc(normal, forbidden) {
		return password
	}
	return normal
}

// mappedToNothing: RFC 3454, table B.1.
func mappedToNothing(r rune) bool {
	switch {
	case r == 0x00AD, r == 0x034F, r == 0x1806, r == 0x2060, r == 0xFEFF,
		r >= 0x180B && r <= 0x180D, r == 0x200C, r == 0x200D, r >= 0xFE00 && r <= 0xFE0F:
		return true
	}
	return false
}

// forbidden: the tables of RFC 4013, section 2.3, as Unicode classes.
func forbidden(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp) ||
		r >= 0xFFF9 && r <= 0xFFFF || r >= 0x2FF0 && r <= 0x2FFB ||
		r == 0x0340 || r == 0x0341 || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x206A && r <= 0x206F
}
