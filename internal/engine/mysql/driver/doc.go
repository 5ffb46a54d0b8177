// Package driver runs one member's mysqld: its directory, its process, its
// configuration at run time and the SQL by which the agent commands it. It
// refuses to know who leads, and it never restarts or kills a running server:
// that is the supervisor's.
//
// The agent logs in through the unix socket as the operating system user
// (plugin auth_socket), so no password of its own exists. All accounts that
// replication needs are made by an init file at the first start, before the
// server listens: see localaccounts.go.
//
// Start reading at driver.go. Facts marked measured were seen on MySQL 9.7.4.
package driver
