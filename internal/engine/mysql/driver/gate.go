package driver

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"time"

	client "github.com/go-sql-driver/mysql"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// lookEvery is the time between two looks at a gate that is to close.
const lookEvery = 20 * time.Millisecond

var errStandby = errors.New("a standby cannot be opened for writing: it was not promoted since its start")

// SetGate implements engine.Driver: offline_mode shuts clients out,
// super_read_only keeps them from writing, and events run only behind an open
// gate, since they write too.
func (d *Driver) SetGate(ctx context.Context, g engine.Gate) error {
	var err error
	switch g {
	case engine.GateClosed:
		err = d.close(ctx)
	case engine.GateReadOnly:
		err = d.open(ctx, "SET GLOBAL event_scheduler = OFF", "SET GLOBAL super_read_only = ON", "SET GLOBAL offline_mode = OFF")
	case engine.GateOpen:
		if !d.isPromoted() {
			err = errStandby
			break
		}
		d.mu.Lock()
		scheduler := d.scheduler()
		d.mu.Unlock()
		err = d.open(ctx, "SET GLOBAL super_read_only = OFF", "SET GLOBAL read_only = OFF", "SET GLOBAL offline_mode = OFF",
			"SET GLOBAL event_scheduler = "+scheduler)
	}
	if err != nil {
		return fmt.Errorf("setting the gate to %s: %w", g, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.gate = g
	return nil
}

// scheduler is what the user asks for; ON, as the engine has it, by default.
// The lock must be held.
func (d *Driver) scheduler() string {
	if wanted := d.config.Parameters[mysql.EventScheduler]; wanted != "" {
		return text(wanted)
	}
	return "ON"
}

func (d *Driver) open(ctx context.Context, statements ...string) error {
	if err := d.exec(ctx, statements...); err != nil {
		return err
	}
	in, err := d.admits(ctx)
	if err == nil && !in {
		err = errors.New("a client is still refused")
	}
	return err
}

// close shuts the gate and returns when a login was refused and two looks after
// that have shown no session of a client: offline_mode ends sessions by itself,
// but not running events, and a login that was under way slips past it once.
func (d *Driver) close(ctx context.Context) error {
	if err := d.exec(ctx, "SET GLOBAL offline_mode = ON", "SET GLOBAL event_scheduler = OFF"); err != nil {
		return err
	}
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for clear := 0; clear < 2; {
		let, err := d.admits(ctx)
		if err != nil {
			return err
		}
		left, err := d.endSessions(ctx)
		if err != nil {
			return err
		}
		clear++
		if let || left > 0 {
			clear = 0
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waiting for %d client sessions to end and new ones to be refused (let in: %t): %w", left, let, ctx.Err())
		case <-ticker.C:
		}
	}
	return nil
}

// clientSessions are all but those of the server itself, the agent (and people
// beside it in the pod) and the members.
const clientSessions = `SELECT processlist_id FROM performance_schema.threads
	WHERE type = 'FOREGROUND' AND processlist_id IS NOT NULL AND processlist_user IS NOT NULL
	AND processlist_user NOT IN ('` + mysql.SystemUser + `', 'system user', 'event_scheduler', 'unauthenticated user')
	AND processlist_user NOT LIKE 'ha\_member\__'`

// endSessions kills the sessions of clients and returns how many there were.
func (d *Driver) endSessions(ctx context.Context) (int, error) {
	rows, err := d.pool().QueryContext(ctx, clientSessions)
	if err != nil {
		return 0, reachable(err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return 0, err
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return 0, reachable(err)
	}
	for _, id := range ids {
		// One that ended meanwhile is no error.
		if err := d.exec(ctx, fmt.Sprintf("KILL %d", id)); err != nil && number(err) == 0 {
			return 0, err
		}
	}
	return len(ids), nil
}

// admits tells whether the gate lets a client in, by a login over TCP and TLS
// with an account without rights and the member's certificate. A server that
// has too many sessions, or whose init_connect fails, turns a client away
// behind the gate: it counts as open.
func (d *Driver) admits(ctx context.Context) (bool, error) {
	c, err := d.clientLogin()
	if err != nil {
		return false, fmt.Errorf("logging in as a client: %w", err)
	}
	pool := openPool(c)
	defer pool.Close()
	var one int
	err = pool.QueryRowContext(ctx, "SELECT 1").Scan(&one)
	switch number(err) {
	case errOfflineMode:
		return false, nil
	case errTooManyConnections, errInitConnect:
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("logging in as a client: %w", err)
	}
	return true, nil
}

func (d *Driver) clientLogin() (*client.Config, error) {
	d.mu.Lock()
	config := d.config
	d.mu.Unlock()
	pair, err := tls.LoadX509KeyPair(config.CertFile, config.KeyFile)
	if err != nil {
		return nil, err
	}
	authority, err := os.ReadFile(config.CAFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("%s holds no certificate", config.CAFile)
	}
	c := client.NewConfig()
	c.User = gateUser
	c.Net, c.Addr = "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(mysql.Port))
	c.Logger = &client.NopLogger{}
	c.TLS = &tls.Config{
		Certificates: []tls.Certificate{pair},
		// It is this member's own server, behind an address that stands in no
		// certificate: the chain is checked, the name is not.
		InsecureSkipVerify: true,
		VerifyConnection: func(state tls.ConnectionState) error {
			options := x509.VerifyOptions{Roots: roots, Intermediates: x509.NewCertPool()}
			for _, certificate := range state.PeerCertificates[1:] {
				options.Intermediates.AddCert(certificate)
			}
			_, err := state.PeerCertificates[0].Verify(options)
			return err
		},
	}
	return c, nil
}
