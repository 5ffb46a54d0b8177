// Package engine holds the two contracts that a database engine fulfils.
//
// Profile is pure knowledge: versions, images, parameter rules, configuration
// files, binding data. The operator and the agent use it. Driver is what only
// the agent needs at run time: processes and SQL of one member. Everything
// outside internal/engine/<name> speaks to an engine through these two, and no
// name of an engine stands anywhere else but in the API's enum and in the maps
// of main.go and cmd/.
//
// Adding an engine means writing both and passing enginetest.
package engine
