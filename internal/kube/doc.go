// Package kube owns the few verbs by which the operator changes objects of the
// API server: Apply, Create, Merge, PatchStatus and DeletePod. It knows how to
// write and when not to; what to write is desired's business, and why the
// controllers'.
//
// How Apply skips what changes nothing: the API server records which fields
// our field manager has set (metadata.managedFields). The live object is
// reduced to these fields and compared with what is desired, by the rules of
// the schema. Three kinds of difference show up, and each leads to a request:
//
//   - a value differs, or somebody else has set it since, which takes the
//     field away from us: a manual edit is set right;
//   - we want a field that we never set: a new wish;
//   - we own a field that we no longer want: it is removed.
//
// Fields that only others set (defaults, a load balancer's annotations) are
// outside the comparison and stay. Nothing is remembered between passes, so
// that a restarted operator sends nothing either.
package kube
