// Package state keeps what a member must not forget on its volume, outside the
// engine's directory: who it is, what it has promised and what it has tried.
//
// It owns two slots that are written in turn, each with a checksum, under a
// file lock. It decides nothing. Start reading at State and Store.Update.
package state
