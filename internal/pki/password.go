package pki

import "crypto/rand"

// Password is a fresh secret of 26 characters with at least 128 bits of
// randomness. It needs no escaping in a URI, a shell or a configuration file.
func Password() string { return rand.Text() }
