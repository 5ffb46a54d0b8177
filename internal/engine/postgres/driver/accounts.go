package driver

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// accountsTime covers the making of a database, which copies a template.
const accountsTime = 30 * time.Second

// role describes one account. What it does not name, the account does not have.
type role struct {
	name                              string
	createDB, createRole, replication bool
	password                          string // empty: none, and none is allowed
	memberOf                          []string
}

// EnsureAccounts implements engine.Driver.
//
// The admin can create databases and roles and look at everything the server
// shows of itself. On 15 that is more than is meant: see
// postgres.ContainsRoleCreators.
func (d *Driver) EnsureAccounts(ctx context.Context, a engine.Accounts) error {
	if a.App.Password == "" || a.Admin.Password == "" {
		return errors.New("ensuring accounts: a password is empty")
	}
	roles := []role{
		{name: a.Admin.Name, password: a.Admin.Password, createDB: true, createRole: true, memberOf: []string{"pg_monitor"}},
		{name: a.App.Name, password: a.App.Password},
	}
	for ordinal := range a.ReplicationSubjects {
		roles = append(roles, role{name: postgres.ReplicationRole(ordinal), replication: true})
	}
	err := d.held.use(ctx, accountsTime, func(ctx context.Context, conn *pgx.Conn) error {
		var standby bool
		if err := conn.QueryRow(ctx, "SELECT pg_is_in_recovery()").Scan(&standby); err != nil {
			return err
		}
		if standby {
			return errors.New("the engine is a standby")
		}
		// All at once: each commit would be a flush.
		err := pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			for _, r := range roles {
				if err := ensureRole(ctx, tx, r); err != nil {
					return fmt.Errorf("account %s: %w", r.name, err)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return ensureDatabase(ctx, conn, a.Database, a.App.Name)
	})
	if err != nil {
		return fmt.Errorf("ensuring accounts: %w", err)
	}
	return nil
}

// found is a role as the server has it.
type found struct {
	super, createDB, createRole, replication, bypassRLS, login, inherit bool
	limit                                                               int
	verifier                                                            *string
}

func ensureRole(ctx context.Context, tx pgx.Tx, r role) error {
	var f found
	err := tx.QueryRow(ctx, `
		SELECT rolsuper, rolcreatedb, rolcreaterole, rolreplication, rolbypassrls, rolcanlogin, rolinherit, rolconnlimit, rolpassword
		FROM pg_authid WHERE rolname = $1`, r.name).Scan(
		&f.super, &f.createDB, &f.createRole, &f.replication, &f.bypassRLS, &f.login, &f.inherit, &f.limit, &f.verifier)
	verb := "ALTER"
	if errors.Is(err, pgx.ErrNoRows) {
		verb = "CREATE"
	} else if err != nil {
		return err
	}
	want := found{createDB: r.createDB, createRole: r.createRole, replication: r.replication, login: true, inherit: true, limit: -1}
	password, samePassword, err := r.passwordClause(f.verifier)
	if err != nil {
		return err
	}
	f.verifier = nil
	if verb == "CREATE" || f != want || !samePassword {
		statement := fmt.Sprintf("%s ROLE %s LOGIN INHERIT NOSUPERUSER NOBYPASSRLS CONNECTION LIMIT -1 %sCREATEDB %sCREATEROLE %sREPLICATION%s",
			verb, identifier(r.name), no(!r.createDB), no(!r.createRole), no(!r.replication), password)
		if _, err := tx.Exec(ctx, statement); err != nil {
			return err
		}
	}
	for _, group := range r.memberOf {
		if err := ensureMember(ctx, tx, r.name, group); err != nil {
			return err
		}
	}
	return nil
}

// passwordClause says how to set the password, and whether it is set already.
// The verifier is plain ASCII without quotes.
func (r role) passwordClause(kept *string) (clause string, same bool, err error) {
	if r.password == "" {
		return " PASSWORD NULL", kept == nil, nil
	}
	if kept != nil && verifies(*kept, r.password) {
		return "", true, nil
	}
	v, err := newVerifier(r.password)
	if err != nil {
		return "", false, err
	}
	return " PASSWORD '" + v.String() + "'", false, nil
}

func ensureMember(ctx context.Context, tx pgx.Tx, name, group string) error {
	var member bool
	err := tx.QueryRow(ctx, `
		SELECT EXISTS (SELECT 1 FROM pg_auth_members m
		               JOIN pg_roles g ON g.oid = m.roleid JOIN pg_roles r ON r.oid = m.member
		               WHERE g.rolname = $1 AND r.rolname = $2)`, group, name).Scan(&member)
	if err != nil || member {
		return err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf("GRANT %s TO %s", identifier(group), identifier(name)))
	return err
}

// ensureDatabase makes the application's database. Its schema public belongs
// to the database's owner, and to nobody else since 15.
func ensureDatabase(ctx context.Context, conn *pgx.Conn, name, owner string) error {
	var has string
	err := conn.QueryRow(ctx, "SELECT r.rolname FROM pg_database d JOIN pg_roles r ON r.oid = d.datdba WHERE d.datname = $1", name).Scan(&has)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		_, err = conn.Exec(ctx, fmt.Sprintf("CREATE DATABASE %s OWNER %s", identifier(name), identifier(owner)))
	case err == nil && has != owner:
		_, err = conn.Exec(ctx, fmt.Sprintf("ALTER DATABASE %s OWNER TO %s", identifier(name), identifier(owner)))
	}
	if err != nil {
		return fmt.Errorf("database %s: %w", name, err)
	}
	return nil
}

func identifier(name string) string { return pgx.Identifier{name}.Sanitize() }

func no(negated bool) string {
	if negated {
		return "NO"
	}
	return ""
}
