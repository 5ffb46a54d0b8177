package postgres

import (
	"fmt"
	"strconv"
)

const (
	kib = int64(1) << 10
	mib = int64(1) << 20
	gib = int64(1) << 30

	// assumedMemory is taken where the container has neither a limit nor a
	// request: the request that a Database gets by default.
	assumedMemory = 512 * mib

	defaultConnections = 100
	// Five, so that the agent's two sessions, its probe and a person get in
	// when clients have taken all other connections.
	reservedConnections = 5
)

// memorySettings follow the container: a quarter for shared buffers, as the
// manual advises, and the planner is told that three quarters hold cached
// pages (the page cache counts towards the container's limit too).
// https://www.postgresql.org/docs/current/runtime-config-resource.html
func memorySettings(memory int64, parameters map[string]string) map[string]string {
	if memory <= 0 {
		memory = assumedMemory
	}
	connections := int64(defaultConnections)
	if n, err := strconv.ParseInt(parameters["max_connections"], 10, 32); err == nil && n > 0 {
		connections = n
	}
	// A connection may use work_mem several times over; half of the memory
	// shared by all connections, and never below the stock 4 MB.
	workMem := max(memory/2/connections/2, 4*mib)
	return map[string]string{
		"shared_buffers":       size(max(memory/4, 16*mib)),
		"effective_cache_size": size(max(memory/4*3, 64*mib)),
		"work_mem":             size(min(workMem, gib)),
		"maintenance_work_mem": size(min(max(memory/16, 16*mib), 2*gib)),
		// Three workers at once must not take what maintenance_work_mem may.
		"autovacuum_work_mem": size(min(max(memory/32, 16*mib), gib)),
	}
}

// size is written in kB, which every memory setting accepts.
func size(bytes int64) string { return fmt.Sprintf("%dkB", bytes/kib) }
