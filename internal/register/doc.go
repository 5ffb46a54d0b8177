// Package register keeps a Database's ha.Record in one Lease, as a register
// that changes by compare-and-swap only, and writes the EndpointSlices that
// lead clients to the primary. It speaks to the API server with net/http and a
// few structs of its own, because the agent has to stay small.
//
// It refuses to know who may lead: it offers no retry, no cache and no watch,
// and reports an outcome that it does not know as unknown. Start reading at
// Register.
package register
