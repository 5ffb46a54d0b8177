// Package sabotage shows that the simulator notices when a rule of the protocol
// is not kept. Each sabotage is one rule switched off; it must break an
// invariant within a stated number of seeds, or in a scenario made for it,
// where the honest code breaks none.
//
// The code under test has no switches. A sabotage is a textual edit of its
// source, or an engine rule that the simulated driver can disobey. All edits
// are compiled at once, by an overlay, into one program (package saboteur), and
// each is guarded by a call of sabotaged("its name"), which the environment
// variable of that program answers. So this package knows the lines that make
// the protocol safe, word by word: who changes one of them is told here.
//
// table_*.go are the sabotages, overlay.go builds the program.
package sabotage
