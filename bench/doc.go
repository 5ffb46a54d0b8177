// Command bench measures what docs/performance.md says, on the cluster that
// KUBECONFIG points at, and appends one JSON line per figure to
// bench/results/<bench>.jsonl. It asserts nothing: figures are for reading.
//
//	go run ./bench                  every bench but cold
//	go run ./bench create size      some of them
//	go run ./bench -render          only remake docs/performance.md
package main
