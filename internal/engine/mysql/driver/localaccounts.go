package driver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/durable"
	"github.com/myuser/db-operator/internal/engine/mysql"
)

// Accounts and tables of the operator's own. The schema is ha; all names with
// that prefix are protected from the admin account by SYSTEM_USER.
const (
	ownSchema = "ha"
	// gateUser has no rights. It logs in with a certificate of the Database, to
	// prove what a client would meet.
	gateUser = "ha_gate"
	// memberUser is followed by the ordinal.
	memberUser = "ha_member_"

	// accountsMissing, inside the data directory, says that the init file has
	// not been seen to have run to its end.
	accountsMissing = "ha-accounts-missing"
	accountsFile    = "accounts.sql" // below Config.Paths.ConfigDir
)

// memberRights: REPLICATION SLAVE to follow, BACKUP_ADMIN to be a clone's
// donor, CONNECTION_ADMIN since offline_mode would cut it off
// (measured), SYSTEM_USER against an admin that may alter accounts.
const memberRights = "REPLICATION SLAVE, BACKUP_ADMIN, CONNECTION_ADMIN, SYSTEM_USER"

func markAccountsMissing(dataDir string) error {
	return os.WriteFile(filepath.Join(dataDir, accountsMissing), nil, 0o600)
}

// initFile is to be given to the server at its next start; empty if the
// accounts are known to be there.
func (d *Driver) initFile() (string, error) {
	_, err := os.Stat(filepath.Join(d.paths.DataDir, accountsMissing))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	}
	return filepath.Join(d.paths.ConfigDir, accountsFile), nil
}

// accountsMade removes the mark once the last statement of the init file shows.
// The server goes on after an init file that failed half-way (measured), so
// that its being up proves nothing.
func (d *Driver) accountsMade(ctx context.Context) error {
	file, err := d.initFile()
	if err != nil || file == "" {
		return err
	}
	var one int
	if err := d.pool().QueryRowContext(ctx, "SELECT id FROM ha.made").Scan(&one); err != nil {
		return fmt.Errorf("checking the accounts made at the first start: %w", err)
	}
	if err := os.Remove(filepath.Join(d.paths.DataDir, accountsMissing)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return durable.Flush(d.paths.DataDir)
}

// accountStatements run before the server listens, each on one line, unlogged:
// every member has them of its own, so a member's log begins empty. They may
// run again after a crash. super_read_only is put in force by the server only
// after them (measured), so they write although the option file has it on.
func accountStatements(subjects []string) string {
	statements := []string{
		"SET SESSION sql_log_bin = 0",
		"SET SESSION sql_mode = ''",
		"SET SESSION completion_type = 0",
		"SET SESSION autocommit = 1",
		"CREATE USER IF NOT EXISTS " + agentAccount + " IDENTIFIED WITH auth_socket WITH MAX_USER_CONNECTIONS 1000 PASSWORD EXPIRE NEVER",
		"GRANT ALL ON *.* TO " + agentAccount + " WITH GRANT OPTION",
		"DROP USER IF EXISTS 'root'@'localhost'",
		"CREATE USER IF NOT EXISTS " + account(gateUser) + " REQUIRE X509 PASSWORD EXPIRE NEVER",
		"GRANT SYSTEM_USER ON *.* TO " + account(gateUser),
	}
	for ordinal, subject := range subjects {
		statements = append(statements, memberStatements(ordinal, subject)...)
	}
	statements = append(statements,
		"CREATE SCHEMA IF NOT EXISTS "+ownSchema,
		"CREATE TABLE IF NOT EXISTS ha.session (id TINYINT PRIMARY KEY, term BIGINT NOT NULL, incarnation BIGINT NOT NULL) ENGINE=InnoDB",
		"CREATE TABLE IF NOT EXISTS ha.beat (id TINYINT PRIMARY KEY, at TIMESTAMP(6) NOT NULL) ENGINE=InnoDB",
		"CREATE TABLE IF NOT EXISTS ha.made (id TINYINT PRIMARY KEY) ENGINE=InnoDB",
		"REPLACE INTO ha.made VALUES (1)",
	)
	return strings.Join(statements, ";\n") + ";\n"
}

var agentAccount = text(mysql.SystemUser) + "@'localhost'"

// memberStatements make the account by which the member of this ordinal
// follows and clones: no password, its own certificate only.
func memberStatements(ordinal int, subject string) []string {
	who := account(fmt.Sprintf("%s%d", memberUser, ordinal))
	require := " REQUIRE SUBJECT " + text(certificateSubject(subject))
	return []string{
		"CREATE USER IF NOT EXISTS " + who + require + " PASSWORD EXPIRE NEVER",
		"ALTER USER " + who + require,
		"GRANT " + memberRights + " ON *.* TO " + who,
	}
}

// certificateSubject is how the server writes a subject that has a common name
// and nothing else.
func certificateSubject(commonName string) string { return "/CN=" + commonName }

// writeAccounts puts the init file beside the option file.
func writeAccounts(c engine.Config) error {
	return writeFile(filepath.Join(c.Paths.ConfigDir, accountsFile), accountStatements(c.ReplicationSubjects))
}
