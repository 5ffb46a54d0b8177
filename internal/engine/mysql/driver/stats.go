package driver

import (
	"context"
	"fmt"
	"strconv"

	"github.com/myuser/db-operator/internal/engine"
)

// metric is one line of the server's global status or variables.
type metric struct {
	status, name, help string
	counter            bool
}

var metrics = []metric{
	{"Threads_connected", "connections", "Open sessions, the agent's included.", false},
	{"max_connections", "max_connections", "Sessions that the server allows.", false},
	{"Threads_running", "connections_active", "Sessions that are running a statement.", false},
	{"Max_used_connections", "connections_peak", "Most sessions at one time since the server started.", false},
	{"Aborted_connects", "connections_failed_total", "Logins that failed.", true},
	{"Questions", "statements_total", "Statements sent by clients.", true},
	{"Com_commit", "commits_total", "COMMIT statements; statements that commit by themselves are not counted.", true},
	{"Com_rollback", "rollbacks_total", "ROLLBACK statements.", true},
	{"Slow_queries", "slow_statements_total", "Statements that took longer than long_query_time.", true},
	{"Innodb_deadlocks", "deadlocks_total", "Deadlocks.", true},
	{"Innodb_row_lock_current_waits", "lock_waits", "Row locks being waited for.", false},
	{"Innodb_buffer_pool_bytes_data", "buffer_pool_used_bytes", "Bytes of the buffer pool that hold data.", false},
	{"Innodb_buffer_pool_bytes_dirty", "buffer_pool_dirty_bytes", "Bytes of the buffer pool that are not yet written.", false},
	{"Innodb_buffer_pool_read_requests", "buffer_pool_reads_total", "Page reads asked of the buffer pool.", true},
	{"Innodb_buffer_pool_reads", "buffer_pool_misses_total", "Page reads that went to the volume.", true},
	{"Innodb_os_log_written", "log_written_bytes_total", "Bytes written to the redo log.", true},
	{"Created_tmp_disk_tables", "temporary_tables_on_disk_total", "Temporary tables that did not fit in memory.", true},
	{"Uptime", "uptime_seconds", "Seconds since the server started.", false},
}

// Stats implements engine.Driver. A line that the server does not have, or that
// is not a number, is left out.
func (d *Driver) Stats(ctx context.Context) ([]engine.Sample, error) {
	status, err := d.status(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading statistics: %w", err)
	}
	var samples []engine.Sample
	for _, m := range metrics {
		value, err := strconv.ParseFloat(status[m.status], 64)
		if err != nil {
			continue
		}
		samples = append(samples, engine.Sample{Name: m.name, Help: m.help, Counter: m.counter, Value: value})
	}
	return samples, nil
}

func (d *Driver) status(ctx context.Context) (map[string]string, error) {
	rows, err := d.pool().QueryContext(ctx, `SELECT variable_name, variable_value FROM performance_schema.global_status
		UNION ALL SELECT variable_name, variable_value FROM performance_schema.global_variables WHERE variable_name = 'max_connections'`)
	if err != nil {
		return nil, reachable(err)
	}
	defer rows.Close()
	status := map[string]string{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		status[name] = value
	}
	return status, reachable(rows.Err())
}
