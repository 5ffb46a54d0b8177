// Package agent is the loop that owns one member: its engine process, files,
// role, probes and metrics. It observes, decides by pure functions, and acts
// through small jobs that can be asked again.
//
//	mounts ─┐                        ┌─ engine lane:   start, promote, open, fence …
//	answers ├─► facts ─► decide ─────┼─ register lane: read, compare-and-swap
//	results ┘   (loop)   (pure)      └─ routes, health, disk
//
// The loop goroutine alone holds what it knows; jobs hand it closures. It
// never waits for a disk, an engine or the network, so that its being alive is
// what liveness means. It refuses to know any engine by name, and how a rule of
// more than one member is led: lead.go is where that decision will be
// exchanged for package ha's. Start reading at loop.go, then decide.go.
package agent
