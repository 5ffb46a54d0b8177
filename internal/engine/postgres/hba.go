package postgres

import (
	"fmt"
	"strings"

	"github.com/myuser/db-operator/internal/engine"
)

// ReplicationRole is the role by which the member of this ordinal replicates.
// It has no password and logs in with that member's certificate alone.
func ReplicationRole(ordinal int) string { return fmt.Sprintf("replication_%d", ordinal) }

// identMap maps the common names of the members' certificates to their roles.
const identMap = "members"

// hba renders who may log in. The first line that matches decides.
//
// The gate is a part of it: while it is closed, the last lines refuse everybody
// who is neither the agent nor a member. Superusers are refused on every host
// line, so nothing that forwards connections can carry anyone to the socket's
// trust in the operating system.
func hba(c engine.Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by the agent; edits are lost. Gate: %s.\n", c.Gate)
	line := func(fields ...string) { b.WriteString(strings.Join(fields, " ") + "\n") }

	line("local", "all", Superuser, "peer")
	line("host", "all,replication", Superuser, "all", "reject")
	for ordinal := range c.ReplicationSubjects {
		line("hostssl", "replication", ReplicationRole(ordinal), "all", "cert", "map="+identMap)
		line("host", "all,replication", ReplicationRole(ordinal), "all", "reject")
		line("local", "all,replication", ReplicationRole(ordinal), "reject")
	}
	if c.Gate != engine.GateClosed {
		line("hostssl", "all", "all", "all", "scram-sha-256")
		line("local", "all", "all", "scram-sha-256")
	}
	line("host", "all,replication", "all", "all", "reject")
	line("local", "all,replication", "all", "reject")
	return b.String()
}

// ident renders the map from certificates to roles.
func ident(c engine.Config) string {
	var b strings.Builder
	b.WriteString("# Written by the agent; edits are lost.\n")
	for ordinal, subject := range c.ReplicationSubjects {
		fmt.Fprintf(&b, "%s \"%s\" %s\n", identMap, strings.ReplaceAll(subject, `"`, `""`), ReplicationRole(ordinal))
	}
	return b.String()
}
