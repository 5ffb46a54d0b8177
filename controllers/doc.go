// Package controllers is the Kubernetes side of the operator: it observes one
// Database and its objects, makes what is missing, sets right what differs,
// and writes down what it saw.
//
//	observe (I/O, scope.go) ─► refuse (pure) ─► steps (I/O, step_*.go) ─► status (pure, status.go) ─► one write
//
// Steps do not depend on each other: one that fails is reported and does not
// keep the others from running. Nothing here decides who leads; the agents do,
// and this package asks them. It knows no engine beyond engine.Profile.
//
// What triggers a pass: a change of the Database or of an object that belongs
// to it (watched through caches that hold only objects with our labels), a
// change in what an agent says of itself (watch.go asks them, past the API
// server), and, while something is under way, the clock.
//
// Secrets are never listed or watched: that right would be one to read every
// Secret of a namespace. They are read by name in each pass. An edited
// password is noticed all the same, because it reaches the member through its
// mount and changes what the agent says; a deleted Secret is made anew at the
// next pass, at the latest after recheck.
package controllers
