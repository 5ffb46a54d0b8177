// Package driver runs one PostgreSQL member for the agent: it implements
// engine.Driver with the image's own programs, files, signals and SQL.
//
// What it knows about PostgreSQL without running it stands in package postgres.
// It decides nothing: who leads, when to start and when to fence is the
// agent's business.
//
// The agent's own state is in the schema ha of the database postgres, which
// belongs to the superuser: the application's database can be dropped and made
// anew by its owner. Start reading at Driver.
package driver
