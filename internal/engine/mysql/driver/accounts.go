package driver

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// adminRights let a person make databases, accounts and everything in them.
// What would pass the gate, stop replication or write past the log is not
// among them: no RELOAD, which resets the binary log, no
// SESSION_VARIABLES_ADMIN, which switches it off.
var adminRights = []string{
	"SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "PROCESS", "REFERENCES", "INDEX", "ALTER",
	"SHOW DATABASES", "CREATE TEMPORARY TABLES", "LOCK TABLES", "EXECUTE", "CREATE VIEW", "SHOW VIEW",
	"CREATE ROUTINE", "ALTER ROUTINE", "CREATE USER", "EVENT", "TRIGGER", "CREATE ROLE", "DROP ROLE",
	"ROLE_ADMIN", "FLUSH_OPTIMIZER_COSTS", "FLUSH_STATUS", "FLUSH_TABLES", "FLUSH_USER_RESOURCES", "SHOW_ROUTINE",
	"APPLICATION_PASSWORD_ADMIN", "XA_RECOVER_ADMIN",
}

// adminExceptions are taken away from the admin in the server's own schema and
// in ours: whoever writes mysql.user has every right after a restart.
const adminExceptions = "INSERT, UPDATE, DELETE, CREATE, DROP, REFERENCES, INDEX, ALTER, CREATE TEMPORARY TABLES, LOCK TABLES, " +
	"EXECUTE, CREATE VIEW, CREATE ROUTINE, ALTER ROUTINE, EVENT, TRIGGER"

var protectedSchemas = []string{"mysql", ownSchema}

// EnsureAccounts implements engine.Driver. Statements on accounts are not
// logged: each member's agent makes them, so that none ever waits for an
// acknowledgement while it holds the lock that every login needs
// (measured). The database is logged, as all of the user's data.
func (d *Driver) EnsureAccounts(ctx context.Context, a engine.Accounts) error {
	session, err := d.pool().Conn(ctx)
	if err != nil {
		return fmt.Errorf("ensuring accounts: %w", reachable(err))
	}
	// With the log switched off, this session must not serve anything else.
	defer discard(session)
	e := ensure{session: session, try: d.tryPassword}
	if err := e.all(ctx, a); err != nil {
		return fmt.Errorf("ensuring accounts: %w", reachable(err))
	}
	return nil
}

// ensure looks before each change.
type ensure struct {
	session *sql.Conn
	// try tells whether a login with this password would be let in.
	try func(context.Context, engine.Credential) (bool, error)
}

func (e ensure) all(ctx context.Context, a engine.Accounts) error {
	if err := e.database(ctx, a.Database); err != nil {
		return err
	}
	if err := e.do(ctx, "SET SESSION sql_log_bin = 0"); err != nil {
		return err
	}
	for _, c := range []engine.Credential{a.App, a.Admin} {
		if err := e.login(ctx, c); err != nil {
			return err
		}
	}
	if err := e.appRights(ctx, a.App.Name, a.Database); err != nil {
		return err
	}
	if err := e.adminRights(ctx, a.Admin.Name); err != nil {
		return err
	}
	return e.members(ctx, a.ReplicationSubjects)
}

func (e ensure) do(ctx context.Context, statement string) error {
	_, err := e.session.ExecContext(ctx, statement)
	return err
}

// there tells whether the query counts anything.
func (e ensure) there(ctx context.Context, query string, args ...any) (bool, error) {
	var n int
	err := e.session.QueryRowContext(ctx, query, args...).Scan(&n)
	return n > 0, err
}

func (e ensure) database(ctx context.Context, database string) error {
	found, err := e.there(ctx, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", database)
	if err != nil || found {
		return err
	}
	if err := e.do(ctx, "CREATE DATABASE IF NOT EXISTS "+name(database)); err != nil {
		return fmt.Errorf("creating database %s: %w", database, err)
	}
	return nil
}

// neverExpires makes a password one that only the operator changes.
const neverExpires = " PASSWORD EXPIRE NEVER PASSWORD HISTORY 0 PASSWORD REUSE INTERVAL 0 DAY ACCOUNT UNLOCK"

func (e ensure) login(ctx context.Context, c engine.Credential) error {
	verb := "ALTER USER "
	found, err := e.there(ctx, "SELECT COUNT(*) FROM mysql.user WHERE user = ? AND host = '%'", c.Name)
	if err != nil {
		return err
	}
	if !found {
		verb = "CREATE USER "
	} else if same, err := e.try(ctx, c); err != nil || same {
		return err
	}
	// An error of the server quotes the statement: only its number is told.
	err = e.do(ctx, verb+account(c.Name)+" IDENTIFIED WITH caching_sha2_password BY "+text(c.Password)+neverExpires)
	if n := number(err); n != 0 {
		return fmt.Errorf("setting the password of %s: the server refused it with error %d", c.Name, n)
	}
	return err
}

func (e ensure) appRights(ctx context.Context, user, database string) error {
	right := "GRANT ALL PRIVILEGES ON " + name(database) + ".*"
	grants, err := e.grants(ctx, user)
	if err != nil || slices.ContainsFunc(grants, func(g string) bool { return strings.HasPrefix(g, right+" TO") }) {
		return err
	}
	return e.do(ctx, right+" TO "+account(user))
}

func (e ensure) adminRights(ctx context.Context, user string) error {
	grants, err := e.grants(ctx, user)
	if err != nil {
		return err
	}
	if missing := missingRights(grants); len(missing) > 0 {
		if err := e.do(ctx, "GRANT "+strings.Join(missing, ", ")+" ON *.* TO "+account(user)+" WITH GRANT OPTION"); err != nil {
			return fmt.Errorf("granting to %s: %w", user, err)
		}
	}
	for _, schema := range protectedSchemas {
		if slices.ContainsFunc(grants, func(g string) bool {
			return strings.HasPrefix(g, "REVOKE ") && strings.Contains(g, " ON "+name(schema)+".* FROM ")
		}) {
			continue
		}
		if err := e.do(ctx, "REVOKE "+adminExceptions+" ON "+name(schema)+".* FROM "+account(user)); err != nil {
			return fmt.Errorf("protecting schema %s from %s: %w", schema, user, err)
		}
	}
	return nil
}

// missingRights are those of the admin that no global grant lists.
func missingRights(grants []string) []string {
	have := map[string]bool{}
	for _, g := range grants {
		list, _, global := strings.Cut(strings.TrimPrefix(g, "GRANT "), " ON *.* TO ")
		if !global {
			continue
		}
		for right := range strings.SplitSeq(list, ",") {
			have[strings.TrimSpace(right)] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(adminRights), func(r string) bool { return have[r] })
}

func (e ensure) grants(ctx context.Context, user string) ([]string, error) {
	rows, err := e.session.QueryContext(ctx, "SHOW GRANTS FOR "+account(user))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return nil, err
		}
		out = append(out, line)
	}
	return out, rows.Err()
}

// members brings the accounts of the init file up to date: the certificates of
// an adopted volume may have had other names.
func (e ensure) members(ctx context.Context, subjects []string) error {
	for ordinal, subject := range subjects {
		user := fmt.Sprintf("%s%d", memberUser, ordinal)
		same, err := e.there(ctx, "SELECT COUNT(*) FROM mysql.user WHERE user = ? AND host = '%' AND x509_subject = ?",
			user, certificateSubject(subject))
		if err != nil {
			return err
		}
		if same {
			continue
		}
		for _, statement := range memberStatements(ordinal, subject) {
			if err := e.do(ctx, statement); err != nil {
				return fmt.Errorf("making account %s: %w", user, err)
			}
		}
	}
	return nil
}

// tryPassword tells whether the account has this password, by a login through
// the socket, which counts as secure.
func (d *Driver) tryPassword(ctx context.Context, c engine.Credential) (bool, error) {
	l := localLogin(d.paths)
	l.User, l.Passwd = c.Name, c.Password
	l.Params = nil
	pool := openPool(l)
	defer pool.Close()
	var one int
	err := pool.QueryRowContext(ctx, "SELECT 1").Scan(&one)
	switch number(err) {
	case errOfflineMode, errInitConnect: // both are met behind the password
		return true, nil
	case errAccessDenied, errMustChangePassword, errPasswordExpired, errAccountLocked, errAccountBlocked:
		return false, nil
	}
	return err == nil, err
}
