// Package exhaustive tries every way in which a few things can go wrong in a
// small Database: all runs of two or three members, of a bounded length, that
// differ from the ordinary run by at most so many deviations. A deviation is
// one message that is lost, or late, or finds its receiver crashing; one call
// to the register that is not answered, or lost, or lands late; one engine that
// is slow; one member that is cut off, paused, stopped with its clock, crashed,
// or whose engine is killed, at any moment of the run.
//
// Where package sim draws a world as unkind as it can, this one is as simple as
// it can be, so that it can be searched to the end: time goes in steps, what is
// not deviated from happens at once, and a log is a string, one letter per
// entry. Worlds that are the same in all that matters are searched once.
//
// It checks A, B and C of package sim. world.go is the world, deviations.go
// what can go wrong, search.go the search.
package exhaustive
