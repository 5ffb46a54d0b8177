// Package api tests the kind Database against a real API server: every rule of
// the schema by a case that it refuses and a neighbour that it accepts,
// defaults, columns, subresources and the samples. The tests have the build
// tag apiserver, and need the programs that "make components" builds.
package api
