//go:build conformance

// Package conformance runs the suite of engine.Driver against the PostgreSQL
// that is installed here, and what only PostgreSQL must do. It belongs into the
// engine's image: make test-conformance.
package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/enginetest"
	"github.com/myuser/db-operator/internal/engine/postgres"
	"github.com/myuser/db-operator/internal/engine/postgres/driver"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Engine{
		Profile:   postgres.Profile{},
		New:       func(paths engine.Paths) engine.Driver { return driver.New(paths) },
		Version:   version,
		Open:      open,
		Replicate: replicate,
		Spare:     40 << 20, // two files of log and a few rows
		Dialect:   dialect(),
		Cases:     cases,
	})
}

func version() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return driver.Version(ctx)
}

// configOf is a client's configuration without anything from the environment.
func configOf(l enginetest.Login) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig("sslmode=disable connect_timeout=5")
	if err != nil {
		return nil, err
	}
	host, port, err := net.SplitHostPort(l.Address)
	if err != nil {
		return nil, err
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, err
	}
	config.Host, config.Port = host, uint16(number)
	config.User, config.Password, config.Database = l.User, l.Password, l.Database
	config.TLSConfig, config.Fallbacks = l.TLS, nil
	return config, nil
}

func open(l enginetest.Login) (*sql.DB, error) {
	config, err := configOf(l)
	if err != nil {
		return nil, err
	}
	return stdlib.OpenDB(*config), nil
}

// replicate asks for the log as a WAL receiver does, up to naming the system.
func replicate(ctx context.Context, ordinal int, l enginetest.Login) error {
	l.User = postgres.ReplicationRole(ordinal)
	config, err := configOf(l)
	if err != nil {
		return err
	}
	config.RuntimeParams["replication"] = "true"
	conn, err := pgconn.ConnectConfig(ctx, &config.Config)
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, "IDENTIFY_SYSTEM").ReadAll()
	if closeErr := conn.Close(ctx); err == nil {
		err = closeErr
	}
	return err
}

func dialect() enginetest.Dialect {
	d := common
	installed, err := version()
	if err != nil {
		return d // the suite says so itself
	}
	if series, _, _ := strings.Cut(installed, "."); postgres.ContainsRoleCreators(series) {
		d.Forbidden[enginetest.Admin] = append(d.Forbidden[enginetest.Admin], contained...)
	}
	return d
}

// contained is refused to the admin where creating roles is no power over all.
var contained = []string{
	"ALTER ROLE replication_0 RENAME TO mine",
	"GRANT pg_execute_server_program TO admin",
	"GRANT pg_write_server_files TO admin",
	"GRANT app TO admin",
	"ALTER ROLE app PASSWORD 'x'",
}

var common = enginetest.Dialect{
	Sleep:  "SELECT pg_sleep(60)",
	Broken: "SELECT 1\n+\n",
	Reloadable: enginetest.Setting{
		Name: "log_min_duration_statement", Values: [2]string{"10s", "20s"},
		Show: "SELECT setting FROM pg_settings WHERE name = 'log_min_duration_statement'", Shown: [2]string{"10000", "20000"},
	},
	Restarting: enginetest.Setting{
		Name: "max_connections", Values: [2]string{"60", "70"},
		Show: "SELECT current_setting('max_connections')", Shown: [2]string{"60", "70"},
	},
	Memory: enginetest.MemorySetting{
		Show: "SELECT (setting::bigint * 8192)::text FROM pg_settings WHERE name = 'shared_buffers'",
		Want: func(memory int64) string { return fmt.Sprint(memory / 4) },
	},
	Allowed: map[enginetest.Role][]string{
		enginetest.Admin: {
			"CREATE ROLE reporting LOGIN PASSWORD 'x'",
			"CREATE DATABASE reports",
			"SELECT query FROM pg_stat_activity",
			"SELECT * FROM pg_stat_replication",
			"DROP DATABASE reports",
			"DROP ROLE reporting",
		},
		enginetest.App: {
			"CREATE TABLE t (id int PRIMARY KEY)",
			"CREATE SCHEMA s",
			"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
			"CREATE EXTENSION pg_trgm",
			"INSERT INTO t VALUES (1)",
			"CREATE TEMPORARY TABLE u (id int)",
			"ANALYZE t",
			"ALTER DATABASE app SET statement_timeout = '1min'",
			"DROP SCHEMA s",
		},
	},
	Forbidden: map[enginetest.Role][]string{
		enginetest.Admin: append([]string{
			"CREATE ROLE mine SUPERUSER",
			"CREATE ROLE mine REPLICATION",
			"ALTER ROLE admin SUPERUSER",
			"ALTER ROLE postgres PASSWORD 'x'",
			"ALTER ROLE replication_0 PASSWORD 'x'",
			"SELECT pg_promote()",
			"SELECT pg_reload_conf()",
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
			"SELECT rolpassword FROM pg_authid",
			"CREATE TABLE public.mine (id int)", // the application's schema
		}, anybody...),
		enginetest.App: append([]string{
			"CREATE DATABASE mine",
			"CREATE ROLE mine",
			"ALTER ROLE admin PASSWORD 'x'",
			"SET ROLE admin",
			"GRANT pg_monitor TO app",
			"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IS DISTINCT FROM 'app'",
			"SELECT pg_create_physical_replication_slot('mine')",
		}, anybody...),
	},
}

// anybody must be refused these, or they would pass the gate, weaken the rule
// or read the server's files.
var anybody = []string{
	"SET ROLE postgres",
	"SET SESSION AUTHORIZATION postgres",
	"ALTER SYSTEM SET fsync = off",
	"SET fsync = off",
	"COPY (SELECT 1) TO PROGRAM 'true'",
	"COPY (SELECT 1) TO '/tmp/mine'",
	"SELECT pg_read_file('postgresql.conf')",
	"CREATE FUNCTION mine() RETURNS int LANGUAGE c AS 'mine', 'mine'",
	"CREATE EXTENSION dblink",
	"CREATE SUBSCRIPTION mine CONNECTION 'host=127.0.0.1' PUBLICATION p WITH (connect = false)",
	"CHECKPOINT",
}

// settled is a table without what a setting's value may differ in from one
// build to the next.
func settled(table string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(table) {
		name, facts, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		lines[name] = facts
	}
	return lines
}
