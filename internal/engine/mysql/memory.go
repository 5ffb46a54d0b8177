package mysql

import "strconv"

const mib = 1 << 20

const (
	// smallestPool is the engine's own default: below it even small tables
	// are read again and again.
	smallestPool = 128 * mib
	// besides is what the server needs apart from the buffer pool: 290 MiB
	// measured on 9.7 when idle and frugal, the agent's own, and some sessions.
	besides = 384 * mib
	// frugalBelow is where the instrumentation's default size, 140 MiB more,
	// would be taken from the buffer pool.
	frugalBelow = 2048 * mib
	// perConnection is what one busy session is allowed for.
	perConnection = 16 * mib
)

// bufferPool is 70 % of the memory, but leaves the rest of the server room in a
// small container, and is never below the engine's default. It is a whole
// number of MiB, so that a person can read it.
func bufferPool(memory int64) int64 {
	size := min(memory/10*7, memory-besides)
	return max(size, smallestPool) / mib * mib
}

// connections bounds the sessions by the memory that they may use.
func connections(memory int64) int64 {
	return min(max(memory/perConnection, 151), 2000)
}

// megabytes writes a size as option files may have it.
func megabytes(size int64) string { return strconv.FormatInt(size/mib, 10) + "M" }

// frugal makes the statistics of the server short in a small container.
func frugal() []setting {
	return []setting{
		{"innodb_log_buffer_size", "16M"},
		{"key_buffer_size", "1M"},
		{"performance_schema_digests_size", "1000"},
		{"performance_schema_error_size", "500"},
		{"performance_schema_events_statements_history_long_size", "1000"},
		{"performance_schema_events_waits_history_long_size", "1000"},
		{"performance_schema_events_stages_history_long_size", "1000"},
		{"performance_schema_events_transactions_history_long_size", "1000"},
	}
}
