// Package enginetest is the conformance suite of engine.Driver: what every
// driver must do with the real engine, however that engine does it. It knows no
// engine; a driver's own package describes one by an Engine and calls Run.
//
// The suite runs where the engine is installed, which is inside its image: as a
// static test binary, under the user that the image runs as, with a network of
// its own (the engine takes its usual port). See
// internal/engine/<name>/conformance. A missing engine fails; nothing is
// skipped.
//
// Start reading at Run; each file cases_<topic>.go holds the cases of one
// topic, and Member is what they work with.
package enginetest
