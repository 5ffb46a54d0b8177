// Package supervise owns processes: it starts a child, turns its output into
// log records, reaps what dies below the agent, and fences, which means killing
// every process of an engine and proving that none is left. The guardian, a
// second process that fences when the agent no longer can, lives here too.
//
// It knows no engine, no SQL and no protocol. Start reading at Start and Fence.
package supervise
