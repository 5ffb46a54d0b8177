//go:build conformance

// Package conformance runs the suite of internal/engine/enginetest against the
// MySQL server of the image it is started in: hack/conformance mysql:9.7.
package conformance

import (
	"context"
	"database/sql"
	"fmt"
	"os/exec"
	"regexp"
	"testing"

	client "github.com/go-sql-driver/mysql"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/enginetest"
	"github.com/myuser/db-operator/internal/engine/mysql"
	"github.com/myuser/db-operator/internal/engine/mysql/driver"
)

func TestConformance(t *testing.T) {
	enginetest.Run(t, enginetest.Engine{
		Profile:   mysql.Profile{},
		New:       func(p engine.Paths) engine.Driver { return driver.New(p) },
		Version:   installed,
		Open:      open,
		Replicate: replicate,
		Spare:     24 << 20,
		Cases:     own,
		Dialect: enginetest.Dialect{
			Sleep: "SELECT SLEEP(60)",
			Reloadable: enginetest.Setting{
				Name: "long_query_time", Values: [2]string{"3", "7"},
				Show: "SELECT @@GLOBAL.long_query_time", Shown: [2]string{"3", "7"},
			},
			Restarting: enginetest.Setting{
				Name: "back_log", Values: [2]string{"70", "90"},
				Show: "SELECT @@GLOBAL.back_log", Shown: [2]string{"70", "90"},
			},
			Memory: enginetest.MemorySetting{
				Show: "SELECT @@GLOBAL.innodb_buffer_pool_size DIV 1048576",
				Want: func(memory int64) string {
					return map[int64]string{512 << 20: "128", 1 << 30: "640"}[memory]
				},
			},
			Allowed: map[enginetest.Role][]string{
				enginetest.App: {
					"CREATE TABLE t (id BIGINT PRIMARY KEY AUTO_INCREMENT, body TEXT)",
					"INSERT INTO t (body) VALUES ('x')", "UPDATE t SET body = 'y'", "CREATE INDEX i ON t (body(8))",
					"CREATE VIEW v AS SELECT * FROM t", "CREATE TRIGGER r BEFORE INSERT ON t FOR EACH ROW SET NEW.body = 'z'",
					"CREATE PROCEDURE p() SELECT 1", "CALL p()", "CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DELETE FROM t",
					"DROP EVENT e", "DROP PROCEDURE p", "DROP VIEW v", "DELETE FROM t", "DROP TABLE t",
				},
				enginetest.Admin: {
					"CREATE DATABASE other", "CREATE TABLE other.t (id INT PRIMARY KEY)", "INSERT INTO other.t VALUES (1)",
					"CREATE USER 'reader'@'%' IDENTIFIED BY 'a-Reader-secret'", "GRANT SELECT ON other.* TO 'reader'@'%'",
					"CREATE ROLE r", "GRANT r TO 'reader'@'%'", "SHOW PROCESSLIST", "SELECT user FROM mysql.user",
					"FLUSH TABLES", "DROP ROLE r", "DROP USER 'reader'@'%'", "DROP DATABASE other",
				},
			},
			Forbidden: map[enginetest.Role][]string{
				enginetest.App: {
					"CREATE DATABASE other", "CREATE USER 'x'@'%'", "SELECT user FROM mysql.user", "SELECT * FROM ha.session",
					"SET GLOBAL max_connections = 10", "SHUTDOWN",
				},
				enginetest.Admin: {
					"SET GLOBAL offline_mode = OFF", "SET GLOBAL super_read_only = OFF", "SET GLOBAL sync_binlog = 0",
					"SET PERSIST max_connections = 10", "SET SESSION sql_log_bin = 0", "SET SESSION gtid_next = 'AUTOMATIC'",
					"STOP REPLICA", "RESET BINARY LOGS AND GTIDS", "PURGE BINARY LOGS BEFORE NOW()", "SHUTDOWN", "RESTART",
					"CLONE LOCAL DATA DIRECTORY = '/tmp/clone'", "GRANT CONNECTION_ADMIN ON *.* TO 'app'@'%'",
					"UPDATE mysql.user SET Super_priv = 'Y'", "DELETE FROM ha.session", "DROP DATABASE ha", "DROP DATABASE mysql",
					"DROP USER 'mysql'@'localhost'", "ALTER USER 'ha_member_1'@'%' REQUIRE NONE", "DROP USER 'ha_gate'@'%'",
					"INSTALL PLUGIN x SONAME 'adt_null.so'", "SELECT 1 INTO OUTFILE '/tmp/x'", "CREATE TABLE app.m (id INT) ENGINE=MyISAM",
					"ALTER INSTANCE DISABLE INNODB REDO_LOG",
				},
			},
		},
	})
}

// installed asks the program for its version: "mysqld  Ver 9.7.4-2 for Linux".
func installed() (string, error) {
	out, err := exec.Command("mysqld", "--version").Output()
	if err != nil {
		return "", err
	}
	found := regexp.MustCompile(`Ver (\d+(\.\d+)+)`).FindSubmatch(out)
	if found == nil {
		return "", fmt.Errorf("no version in %q", out)
	}
	return string(found[1]), nil
}

func open(l enginetest.Login) (*sql.DB, error) {
	c := client.NewConfig()
	c.User, c.Passwd, c.DBName = l.User, l.Password, l.Database
	c.Net, c.Addr, c.TLS = "tcp", l.Address, l.TLS
	c.Logger = &client.NopLogger{}
	connector, err := client.NewConnector(c)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

// replicate logs in as a follower does, and asks what only one may.
func replicate(ctx context.Context, ordinal int, l enginetest.Login) error {
	l.User, l.Database = fmt.Sprintf("ha_member_%d", ordinal), ""
	db, err := open(l)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, "SHOW REPLICAS")
	if err != nil {
		return err
	}
	return rows.Close()
}
