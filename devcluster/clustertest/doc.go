// Package clustertest tests devcluster against a cluster that runs: `devcluster
// up`, then
//
//	go test -tags cluster ./clustertest -devcluster PATH
//
// It works through the program's command line only, as a person would, and
// leaves the cluster as it found it.
package clustertest
