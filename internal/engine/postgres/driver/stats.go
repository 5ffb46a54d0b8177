package driver

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/myuser/db-operator/internal/engine"
)

// gauge is one query, of one value or of values with one label.
type gauge struct {
	name, help string
	counter    bool
	label      string // of the first of two columns; empty: one column
	query      string
}

// gauges hold on primaries and standbys of all versions. NULLs are left out.
var gauges = []gauge{
	{"connections", "Sessions of clients by state.", false, "state",
		"SELECT coalesce(state, 'unknown'), count(*)::float8 FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY 1"},
	{"max_connections", "Sessions that the server allows.", false, "",
		"SELECT current_setting('max_connections')::float8"},
	{"transactions_total", "Transactions by outcome.", true, "outcome",
		"SELECT 'commit', sum(xact_commit)::float8 FROM pg_stat_database UNION ALL SELECT 'rollback', sum(xact_rollback)::float8 FROM pg_stat_database"},
	{"rows_total", "Rows by what was done with them.", true, "operation",
		`SELECT o, v::float8 FROM (SELECT sum(tup_fetched) f, sum(tup_inserted) i, sum(tup_updated) u, sum(tup_deleted) d FROM pg_stat_database) s,
		 LATERAL (VALUES ('fetch', f), ('insert', i), ('update', u), ('delete', d)) AS x(o, v)`},
	{"blocks_total", "Blocks by where they were found.", true, "source",
		"SELECT 'cache', sum(blks_hit)::float8 FROM pg_stat_database UNION ALL SELECT 'disk', sum(blks_read)::float8 FROM pg_stat_database"},
	{"deadlocks_total", "Deadlocks that were broken.", true, "",
		"SELECT sum(deadlocks)::float8 FROM pg_stat_database"},
	{"checksum_failures_total", "Pages whose checksum was wrong.", true, "",
		"SELECT sum(checksum_failures)::float8 FROM pg_stat_database"},
	{"temporary_bytes_total", "Bytes written to temporary files.", true, "",
		"SELECT sum(temp_bytes)::float8 FROM pg_stat_database"},
	{"database_bytes", "Size of each database.", false, "database",
		"SELECT datname, pg_database_size(oid)::float8 FROM pg_database WHERE datallowconn"},
	{"log_bytes_total", "Bytes of write-ahead log that were made.", true, "",
		"SELECT wal_bytes::float8 FROM pg_stat_wal"},
	{"oldest_transaction_seconds", "Age of the oldest open transaction.", false, "",
		"SELECT coalesce(extract(epoch FROM max(clock_timestamp() - xact_start)), 0)::float8 FROM pg_stat_activity WHERE backend_type = 'client backend'"},
	{"transaction_id_age", "Transactions since the oldest that is not frozen; 2 billion would stop the server.", false, "",
		"SELECT max(age(datfrozenxid))::float8 FROM pg_database"},
}

// Stats implements engine.Driver.
func (d *Driver) Stats(ctx context.Context) ([]engine.Sample, error) {
	var all []engine.Sample
	err := d.held.use(ctx, statementTime, func(ctx context.Context, conn *pgx.Conn) error {
		for _, g := range gauges {
			samples, err := g.read(ctx, conn)
			if err != nil {
				return fmt.Errorf("%s: %w", g.name, err)
			}
			all = append(all, samples...)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading statistics: %w", err)
	}
	return all, nil
}

func (g gauge) read(ctx context.Context, conn *pgx.Conn) ([]engine.Sample, error) {
	rows, err := conn.Query(ctx, g.query)
	if err != nil {
		return nil, err
	}
	var label string
	var value *float64
	into := []any{&label, &value}
	if g.label == "" {
		into = into[1:]
	}
	var samples []engine.Sample
	_, err = pgx.ForEachRow(rows, into, func() error {
		if value == nil {
			return nil
		}
		s := engine.Sample{Name: g.name, Help: g.help, Counter: g.counter, Value: *value}
		if g.label != "" {
			s.Labels = map[string]string{g.label: label}
		}
		samples = append(samples, s)
		return nil
	})
	return samples, err
}
