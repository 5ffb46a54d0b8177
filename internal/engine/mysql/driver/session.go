package driver

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"

	client "github.com/go-sql-driver/mysql"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// Error numbers of the server (https://dev.mysql.com/doc/mysql-errors/9.7/en/).
const (
	errTooManyConnections = 1040
	errAccessDenied       = 1045
	errShutdown           = 1053
	errInitConnect        = 1184
	errMustChangePassword = 1820
	errPasswordExpired    = 1862
	errOfflineMode        = 3032
	errAccountLocked      = 3118
	errAccountBlocked     = 3955
)

// agentSession makes a session of the agent independent of what users may set
// globally. Waiting for a lock is bounded: the agent asks again.
var agentSession = map[string]string{
	"sql_mode":              "''",
	"autocommit":            "1",
	"completion_type":       "0",
	"transaction_read_only": "0",
	"max_execution_time":    "0",
	"wait_timeout":          "31536000",
	"lock_wait_timeout":     "5",
	"time_zone":             "'+00:00'",
	"group_concat_max_len":  "1073741824",
}

// localLogin is the agent's own way in.
func localLogin(p engine.Paths) *client.Config {
	c := client.NewConfig()
	c.User = mysql.SystemUser
	c.Net, c.Addr = "unix", mysql.Socket(p)
	c.Params = agentSession
	c.Logger = &client.NopLogger{} // errors are returned as well
	return c
}

// openPool never fails: the configuration is made here, not read.
func openPool(c *client.Config) *sql.DB {
	connector, err := client.NewConnector(c)
	if err != nil {
		panic(err)
	}
	return sql.OpenDB(connector)
}

// number is the server's error number; 0 if err is not the server's.
func number(err error) uint16 {
	var own *client.MySQLError
	if errors.As(err, &own) {
		return own.Number
	}
	return 0
}

// reachable turns what a login can meet into the contract's errors.
func reachable(err error) error {
	var op *net.OpError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOENT), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, io.EOF), errors.Is(err, client.ErrInvalidConn),
		errors.As(err, &op) && op.Op == "dial" && !op.Timeout():
		return fmt.Errorf("%w: %w", engine.ErrNotRunning, err)
	case number(err) == errShutdown:
		return fmt.Errorf("%w: %w", engine.ErrNotRunning, err)
	case number(err) == errTooManyConnections:
		return fmt.Errorf("%w: %w", engine.ErrFull, err)
	}
	return err
}

// exec runs statements one after the other on a held session.
func (d *Driver) exec(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := d.pool().ExecContext(ctx, statement); err != nil {
			return reachable(err)
		}
	}
	return nil
}

// text quotes a value for a statement of an agent's session, whose sql_mode
// knows backslash escapes.
func text(value string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''", "\x00", `\0`).Replace(value) + "'"
}

// name quotes an identifier.
func name(identifier string) string {
	return "`" + strings.ReplaceAll(identifier, "`", "``") + "`"
}

// account quotes a login that may come from anywhere.
func account(user string) string { return text(user) + "@'%'" }

// discard ends a session for good, whatever state it is in.
func discard(session *sql.Conn) {
	_ = session.Raw(func(any) error { return driver.ErrBadConn })
	_ = session.Close() // Raw has closed it already
}
