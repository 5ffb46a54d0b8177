package main

import (
	"context"
	"crypto/tls"
	"database/sql"
	"fmt"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// engineBench is what the benches need to know of an engine.
type engineBench struct {
	name, version string
	port          string
	small         dbv1.Parameters
	// floor initialises and starts the engine with one line of shell.
	floor string
	// bare starts it on a member's volume with the member's own files.
	bare string
	// greets tells whether whoever accepted the connection is the engine.
	greets func(net.Conn) bool
	// open makes a pool of encrypted connections to the address.
	open func(ip string, b map[string][]byte) (*sql.DB, error)
}

var engines = []engineBench{
	{
		name: "postgres", version: "17", port: "5432",
		small: dbv1.Parameters{"shared_buffers": "32MB"},
		floor: "initdb -D /data/data -U postgres --auth=trust --data-checksums && exec postgres -D /data/data -c listen_addresses='*' -c shared_buffers=32MB -c unix_socket_directories=/tmp",
		bare:  "mkdir -p /run/postgresql && rm -f /data/data/standby.signal && exec postgres -D /data/data -c config_file=/run/agent/config/postgresql.conf",
		open:  openPostgres,
		// The server answers the eight bytes of an SSLRequest with one byte.
		greets: func(c net.Conn) bool {
			if _, err := c.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil {
				return false
			}
			_, err := c.Read(make([]byte, 1))
			return err == nil
		},
	},
	{
		name: "mysql", version: "9.7", port: "3306",
		small: dbv1.Parameters{"innodb_buffer_pool_size": "64M"},
		floor: "mysqld --no-defaults --initialize-insecure --datadir=/data/data && exec mysqld --no-defaults --datadir=/data/data --innodb-buffer-pool-size=64M --socket=/tmp/s --pid-file=/tmp/p --mysqlx=OFF --secure-file-priv=NULL",
		bare:  "mkdir -p /run/mysqld && exec mysqld --defaults-file=/run/agent/config/my.cnf --offline-mode=OFF --super-read-only=OFF --read-only=OFF",
		open:  openMySQL,
		// The server speaks first.
		greets: func(c net.Conn) bool {
			_, err := c.Read(make([]byte, 1))
			return err == nil
		},
	},
}

// answers tells whether the engine accepts connections at the address.
func (e engineBench) answers(ctx context.Context, ip string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	c, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(ip, e.port))
	if err != nil {
		return false
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	return e.greets(c)
}

// encrypted does not verify: both sides of a pair use the same key pair, and
// the address is the pod's.
var encrypted = &tls.Config{InsecureSkipVerify: true}

func openPostgres(ip string, b map[string][]byte) (*sql.DB, error) {
	config, err := pgx.ParseConfig("")
	if err != nil {
		return nil, fmt.Errorf("making a configuration: %w", err)
	}
	config.Host, config.Port = ip, 5432
	config.Database, config.User, config.Password = string(b["database"]), string(b["username"]), string(b["password"])
	config.TLSConfig, config.Fallbacks = encrypted, nil
	return stdlib.OpenDB(*config), nil
}

func openMySQL(ip string, b map[string][]byte) (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", net.JoinHostPort(ip, "3306")
	config.DBName, config.User, config.Passwd = string(b["database"]), string(b["username"]), string(b["password"])
	config.TLS = encrypted
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
