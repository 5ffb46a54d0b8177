// Package desired turns a Database and what is known about its engine into the
// Kubernetes objects that it needs. It is pure: no client, no context, no
// clock, no randomness; secrets and times come in. The same input gives the
// same bytes, which the golden files in testdata show.
//
// It does not know what exists. The two places where that matters are
// explicit: StatefulSet takes the template that runs (template.go), and the
// register and endpoints are made once and then belong to the agents.
//
// Start reading at Input, then statefulset.go.
package desired
