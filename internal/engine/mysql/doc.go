// Package mysql is the Profile of MySQL: which versions there are and how they
// differ, which settings a user may make, the configuration file, the binding
// data, and the order of GTID sets. It is pure. It refuses to know how a server
// is started or spoken to: that is package driver.
//
// Start reading at profile.go; versions.go holds every difference between the
// versions, one switch each.
package mysql
