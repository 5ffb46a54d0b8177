//go:build e2e

package e2e

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// engineCase is what the tests need to know of an engine; the tests themselves
// are the same for all.
type engineCase struct {
	name    string
	version string
	// small keeps test members small; dynamic can be changed while the engine
	// runs, static needs a restart: {name, value, value as the engine shows it}.
	small           map[string]dbv1.ParameterValue
	dynamic, static [3]string
	show            string // statement that shows a setting, %s = its name
	serverProcess   string // name of the engine's main process
	clientCommand   []string
	open            func(b binding, via from) (*sql.DB, error)
	badParameter    string // refused by the profile, not by the schema
}

// binding is the content of Secret <name>-app.
type binding map[string]string

var engines = []engineCase{
	{
		name: "postgres", version: "17",
		small:         map[string]dbv1.ParameterValue{"shared_buffers": "32MB"},
		dynamic:       [3]string{"work_mem", "7MB", "7MB"},
		static:        [3]string{"max_connections", "57", "57"},
		show:          "select current_setting('%s')",
		serverProcess: "postgres",
		clientCommand: []string{"psql", "-tA", "-v", "ON_ERROR_STOP=1",
			"host=$(HOST) port=$(PORT) dbname=$(DATABASE) user=$(USERNAME) password=$(PASSWORD) sslmode=verify-full sslrootcert=/binding/ca.crt",
			"-c", "select 'answer', 40+2"},
		open:         openPostgres,
		badParameter: "no_such_setting",
	},
	{
		name: "mysql", version: "9.7",
		small:         map[string]dbv1.ParameterValue{"innodb_buffer_pool_size": "64M"},
		dynamic:       [3]string{"long_query_time", "7", "7"},
		static:        [3]string{"ft_min_word_len", "3", "3"},
		show:          "select @@global.%s",
		serverProcess: "mysqld",
		clientCommand: []string{"mysql", "-N", "-B", "--host=$(HOST)", "--port=$(PORT)", "--user=$(USERNAME)", "--password=$(PASSWORD)",
			"--ssl-mode=VERIFY_IDENTITY", "--ssl-ca=/binding/ca.crt", "$(DATABASE)", "-e", "select 'answer', 40+2"},
		open:         openMySQL,
		badParameter: "no_such_setting",
	},
}

// eachEngine runs the test for every engine, side by side.
func eachEngine(t *testing.T, test func(t *testing.T, e engineCase)) {
	for _, e := range engines {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// verified is a TLS configuration that trusts only the CA of the binding and
// checks the host name.
func (b binding) verified() (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(b["ca.crt"])) {
		return nil, fmt.Errorf("reading ca.crt of the binding: no certificate in it")
	}
	return &tls.Config{RootCAs: roots, ServerName: b["host"], MinVersion: tls.VersionTLS12}, nil
}

func openPostgres(b binding, via from) (*sql.DB, error) {
	config, err := pgx.ParseConfig(b["uri"])
	if err != nil {
		return nil, fmt.Errorf("reading the binding's uri: %w", err)
	}
	if config.TLSConfig, err = b.verified(); err != nil {
		return nil, err
	}
	config.Fallbacks = nil
	config.DialFunc = via.DialContext
	// The dialer resolves names as a pod would.
	config.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	config.ConnectTimeout = 2 * time.Second
	return stdlib.OpenDB(*config), nil
}

func openMySQL(b binding, via from) (*sql.DB, error) {
	verified, err := b.verified()
	if err != nil {
		return nil, err
	}
	config := mysql.NewConfig()
	config.Net, config.Addr = "tcp", b["host"]+":"+b["port"]
	config.User, config.Passwd, config.DBName = b["username"], b["password"], b["database"]
	config.TLS = verified
	config.Timeout, config.ReadTimeout, config.WriteTimeout = 2*time.Second, 10*time.Second, 10*time.Second
	config.DialFunc = via.DialContext
	config.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
