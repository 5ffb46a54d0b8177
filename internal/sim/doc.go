// Package sim tries to break the protocol of package ha. It runs one agent per
// member, which is nothing but ha.Decide, in a world of virtual time where a
// seed decides everything: clocks that drift and stand still, networks that
// lose and reorder, disks that forget, a register that answers late or not at
// all, volumes that are wiped, turned back and copied, an operator, clients,
// and engines that are as unkind as the real ones. After every event it checks
// what must hold (invariants.go).
//
// The package owns the world and knows the engines only as two flavours of log:
// timelines and sets. It knows no goroutine and no real time: the same seed
// gives the same story, always.
//
// Start reading in plan.go (what a seed means), then world.go, runner.go and
// invariants.go. simulate is the command that runs many seeds.
package sim
