// Package registertest is the conformance test of register.Register, a
// register in memory whose answers can be lost, and a small API server that
// checks resource versions and uids as the real one does.
package registertest
