// Package ha owns the words of high availability that both engines and the
// agent share: the record kept in the register, the rule it holds, and the
// order of log positions. It is pure: standard library only, no I/O, no clock,
// no randomness.
//
// The decision function of the protocol will live here. Until it does, the
// agent leads only rules of one member, which need no decision beyond the
// first compare-and-swap.
package ha
