package mysql

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// Binding renders the connection data in the terms of MySQL's own clients:
// the uri has the parameters of MySQL Shell and its connectors, jdbc-uri those
// of Connector/J, my.cnf is for --defaults-extra-file.
//
// TLS is asked for, verified TLS needs the CA's file:
// --ssl-mode=VERIFY_IDENTITY --ssl-ca=ca.crt.
func (Profile) Binding(c engine.Connection) map[string]string {
	place := net.JoinHostPort(c.Host, strconv.Itoa(int(c.Port))) + "/" + percent(c.Database)
	user, password := percent(c.Username), percent(c.Password)
	return map[string]string{
		"uri": "mysql://" + user + ":" + password + "@" + place + "?ssl-mode=REQUIRED&connect-timeout=2000",
		"jdbc-uri": "jdbc:mysql://" + place + "?user=" + user + "&password=" + password +
			"&sslMode=REQUIRED&connectTimeout=2000&tcpKeepAlive=true",
		"my.cnf": clientFile(c),
	}
}

// percent escapes a value for any part of a URI; a blank becomes %20, since +
// means one in queries only.
func percent(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

func clientFile(c engine.Connection) string {
	return fmt.Sprintf("[client]\nhost = %s\nport = %d\nuser = %s\npassword = %s\nssl-mode = REQUIRED\n\n[mysql]\ndatabase = %s\nconnect-timeout = 2\n",
		quote(c.Host), c.Port, quote(c.Username), quote(c.Password), quote(c.Database))
}
