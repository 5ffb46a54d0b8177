// Package postgres is what is known about PostgreSQL without running it: its
// versions, its settings and which of them users may set, the configuration
// files of a member, the data by which clients connect, the order of log
// positions, and the form of the server's log. It is pure; processes and SQL
// are the business of package driver below it.
//
// Start reading at Profile. Every difference between versions is one function
// in version.go.
package postgres
