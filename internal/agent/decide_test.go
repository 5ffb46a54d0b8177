package agent

import (
	"testing"

	"github.com/myuser/db-operator/internal/engine"
)

// serving is a member with nothing left to do.
func serving() facts {
	return facts{
		Mounted: true, Initialised: true, Leads: true, Running: true, Up: true,
		Promoted: true, Barrier: true, Gate: engine.GateOpen,
		Accounts: true, Configured: true, Certified: true,
	}
}

func TestDecide(t *testing.T) {
	why := trouble{"Why", "Because."}
	for name, c := range map[string]struct {
		change func(*facts)
		want   verb
		reason string
	}{
		"a serving member does nothing":                    {func(*facts) {}, wait, ""},
		"a fault kills a serving engine":                   {func(f *facts) { f.Fault = why }, fence, "Why"},
		"a fault kills a starting engine":                  {func(f *facts) { f.Up, f.Fault = false, why }, fence, "Why"},
		"a fault goes before the end of the pod":           {func(f *facts) { f.Stopping, f.Fault = true, why }, fence, "Why"},
		"the end of the pod closes the gate first":         {func(f *facts) { f.Stopping = true }, closeGate, "Stopping"},
		"then it stops the engine":                         {func(f *facts) { f.Stopping, f.Gate = true, engine.GateClosed }, stop, "Stopping"},
		"then it is done":                                  {func(f *facts) { f.Stopping, f.Running = true, false }, end, "Stopping"},
		"an engine that still recovers is just stopped":    {func(f *facts) { f.Stopping, f.Up = true, false }, stop, "Stopping"},
		"a restart closes the gate first":                  {func(f *facts) { f.Restart = true }, closeGate, "Restarting"},
		"then it stops the engine too":                     {func(f *facts) { f.Restart, f.Gate = true, engine.GateClosed }, stop, "Restarting"},
		"then it starts it":                                {func(f *facts) { f.Restart, f.Running, f.Up = true, false, false }, start, "EngineStarting"},
		"a refused volume is not touched":                  {func(f *facts) { *f = facts{Refused: why, Mounted: true, MayInitialise: true} }, wait, "Why"},
		"without files nothing starts":                     {func(f *facts) { *f = facts{Initialised: true} }, wait, "WaitingForConfiguration"},
		"an empty volume waits for a permission":           {func(f *facts) { *f = facts{Mounted: true, NotLead: why} }, wait, "Why"},
		"with it the volume is initialised":                {func(f *facts) { *f = facts{Mounted: true, MayInitialise: true} }, initialise, "Initialising"},
		"a lead alone does not start an empty volume":      {func(f *facts) { *f = facts{Mounted: true, Leads: true} }, wait, ""},
		"an engine is started before there is a lead":      {func(f *facts) { *f = facts{Mounted: true, Initialised: true, NotLead: why} }, start, "EngineStarting"},
		"an engine that crashed is started with a pause":   {func(f *facts) { f.Running, f.Backoff = false, why }, wait, "Why"},
		"a started engine is waited for":                   {func(f *facts) { *f = facts{Mounted: true, Initialised: true, Running: true, Leads: true} }, await, "EngineStarting"},
		"a standby without a lead waits":                   {func(f *facts) { f.Leads, f.Promoted, f.NotLead = false, false, why }, wait, "Why"},
		"a standby without a lead keeps its files":         {func(f *facts) { f.Leads, f.Promoted, f.Configured, f.NotLead = false, false, false, why }, configure, "Why"},
		"and its certificates":                             {func(f *facts) { f.Leads, f.Promoted, f.Certified, f.NotLead = false, false, false, why }, certify, "Why"},
		"a primary that lost its lead is killed":           {func(f *facts) { f.Leads, f.NotLead = false, why }, fence, "Why"},
		"a lead promotes":                                  {func(f *facts) { f.Promoted, f.Barrier, f.Gate = false, false, engine.GateClosed }, promote, "Opening"},
		"nothing opens before the barrier":                 {func(f *facts) { f.Barrier, f.Gate = false, engine.GateClosed }, barrier, "Opening"},
		"accounts are there before the first client":       {func(f *facts) { f.Accounts, f.Gate = false, engine.GateClosed }, accounts, "Opening"},
		"then the gate opens":                              {func(f *facts) { f.Gate = engine.GateClosed }, openGate, "Opening"},
		"opening does not wait for files":                  {func(f *facts) { f.Gate, f.Configured = engine.GateClosed, false }, openGate, "Opening"},
		"a changed document is put in force while serving": {func(f *facts) { f.Configured = false }, configure, ""},
		"so are certificates":                              {func(f *facts) { f.Certified = false }, certify, ""},
		"so are passwords":                                 {func(f *facts) { f.Accounts = false }, accounts, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := serving()
			c.change(&f)
			got, why := decide(f)
			if got != c.want || why.Reason != c.reason {
				t.Errorf("decide = %s (%s), want %s (%s)", got, why.Reason, c.want, c.reason)
			}
		})
	}
}

// Every combination of facts: what opens must be justified whatever else holds.
func TestDecideNeverOpensWithoutRight(t *testing.T) {
	some := trouble{"Why", "Because."}
	for bits := range 1 << 17 {
		bit := func(n int) bool { return bits&(1<<n) != 0 }
		f := facts{
			Stopping: bit(0), Mounted: bit(1), Initialised: bit(2), MayInitialise: bit(3), Leads: bit(4), Running: bit(5),
			Restart: bit(6), Up: bit(7), Promoted: bit(8), Barrier: bit(9), Accounts: bit(10), Configured: bit(11), Certified: bit(12),
		}
		if bit(13) {
			f.Fault = some
		}
		if bit(14) {
			f.Refused = some
		}
		if bit(15) {
			f.Gate = engine.GateOpen
		}
		if bit(16) {
			f.Backoff = some
		}
		opens := !f.Fault.any() && !f.Stopping && !f.Refused.any() && f.Leads && f.Running && f.Up && !f.Restart
		switch got, _ := decide(f); got {
		case openGate:
			if !opens || !f.Promoted || !f.Barrier || !f.Accounts {
				t.Fatalf("opens the gate of %+v", f)
			}
		case promote, barrier:
			if !opens {
				t.Fatalf("%s of %+v", got, f)
			}
		case initialise:
			if f.Initialised || !f.MayInitialise || f.Refused.any() || f.Stopping {
				t.Fatalf("initialises %+v", f)
			}
		case start:
			if f.Running || f.Stopping || f.Refused.any() {
				t.Fatalf("starts %+v", f)
			}
		}
	}
}
