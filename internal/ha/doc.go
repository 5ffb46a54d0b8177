// Package ha decides. It owns the protocol by which the members of a Database
// agree on one primary and lose no acknowledged write: the record kept in the
// register, the rule that it holds, leases, positions, candidacies, changes of
// the rule. docs/ha.md tells it as a story.
//
// Decide is all of it: a pure function from a State and an Observation to the
// next State and the Actions to take. It knows no clock, no network, no engine,
// no Kubernetes and no randomness but what the Observation carries. Start
// reading there, then follower.go, candidate.go, leader.go and change.go.
//
// The package is tested by internal/sim, which runs members of it against a
// hostile world and shows that each rule is needed.
package ha
