package postgres

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// What clients are told beside the address. They give up a dead primary's
// address within seconds and refuse one that cannot write. Drivers that are
// not libpq hand options they do not know to the server, which refuses the
// connection: libpq's own ones stand in a key of their own (docs/adr/0004).
const (
	uriOptions   = "sslmode=require&connect_timeout=2&target_session_attrs=read-write"
	libpqOptions = uriOptions + "&keepalives_idle=2&keepalives_interval=1&keepalives_count=3&tcp_user_timeout=5000"
	jdbcOptions  = "sslmode=require&connectTimeout=2&loginTimeout=5&targetServerType=primary&tcpKeepAlive=true"
)

// Binding implements engine.Profile: a URI for any driver, one with keep-alive
// times for libpq, a JDBC URL and, unless the password has a line break (which
// the format cannot hold), a line of .pgpass.
func (Profile) Binding(c engine.Connection) map[string]string {
	authority := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port)))
	uri := fmt.Sprintf("postgresql://%s:%s@%s/%s?", percent(c.Username), percent(c.Password), authority, percent(c.Database))
	data := map[string]string{
		"uri":       uri + uriOptions,
		"libpq-uri": uri + libpqOptions,
		"jdbc-uri": fmt.Sprintf("jdbc:postgresql://%s/%s?user=%s&password=%s&%s",
			authority, percent(c.Database), percent(c.Username), percent(c.Password), jdbcOptions),
	}
	if !strings.ContainsAny(c.Password, "\r\n") {
		data["pgpass"] = strings.Join([]string{
			passEscape(c.Host), strconv.Itoa(int(c.Port)),
			passEscape(c.Database), passEscape(c.Username), passEscape(c.Password),
		}, ":") + "\n"
	}
	return data
}

// percent escapes every byte that could end a part of a URI. A space becomes
// %20: libpq does not read + as one.
func percent(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// passEscape: https://www.postgresql.org/docs/current/libpq-pgpass.html
func passEscape(s string) string { return strings.NewReplacer(`\`, `\\`, `:`, `\:`).Replace(s) }
