package agent

import "github.com/myuser/db-operator/internal/engine"

// verb is what the engine lane does next.
type verb string

const (
	wait       verb = "wait"
	fence      verb = "fence"
	initialise verb = "initialise"
	start      verb = "start"
	await      verb = "await" // the first answer to a login
	promote    verb = "promote"
	barrier    verb = "barrier"
	accounts   verb = "accounts"
	openGate   verb = "open gate"
	closeGate  verb = "close gate"
	configure  verb = "configure"
	certify    verb = "certify"
	stop       verb = "stop"
	end        verb = "end" // nothing of the engine is left: the agent may go
)

// trouble says why a member is not where it should be. The zero value says
// that all is well.
type trouble struct {
	Reason  string // CamelCase
	Message string // a sentence: what is wrong and what happens next
}

func (t trouble) any() bool { return t.Reason != "" }

// facts is one snapshot of what decides about the engine.
type facts struct {
	Fault    trouble // why the engine must be killed now
	Stopping bool    // the pod ends
	Refused  trouble // why this volume must not be touched
	Mounted  bool    // document, Secrets and certificates have been read

	Initialised   bool
	MayInitialise bool

	Leads   bool
	NotLead trouble // why it does not, if so

	Running bool // a process of the engine may be left
	Backoff trouble
	Restart bool // one is asked for
	Up      bool // a login was answered

	Promoted bool // in a session of the present term
	Barrier  bool // of that session
	Gate     engine.Gate

	// What is wanted is in force.
	Accounts, Configured, Certified bool
}

// decide is the next step of the engine: first what kills, then what closes,
// then what opens. It is pure. Whatever else a fact may say, nothing is opened
// without a lead, a session of its term and that session's barrier.
func decide(f facts) (verb, trouble) {
	switch {
	case f.Fault.any() && f.Running:
		return fence, f.Fault
	case f.Stopping || f.Restart && f.Running:
		return leave(f)
	case f.Refused.any():
		return wait, f.Refused
	case !f.Mounted:
		return wait, trouble{"WaitingForConfiguration", "The agent waits for its mounted configuration."}
	case !f.Initialised && f.MayInitialise:
		return initialise, trouble{"Initialising", "The member makes its first data directory."}
	case !f.Initialised:
		return wait, f.NotLead
	case !f.Running && f.Backoff.any():
		return wait, f.Backoff
	case !f.Running:
		return start, trouble{"EngineStarting", "The agent starts the engine."}
	case !f.Up:
		return await, trouble{"EngineStarting", "The engine starts or recovers. It is given the time it needs."}
	case !f.Leads:
		return follow(f)
	default:
		return lead(f)
	}
}

// leave takes the engine down in order.
func leave(f facts) (verb, trouble) {
	why := trouble{"Restarting", "The engine restarts, as it was asked to."}
	if f.Stopping {
		why = trouble{"Stopping", "The pod ends."}
	}
	switch {
	case !f.Running:
		return end, why
	case f.Up && f.Gate != engine.GateClosed:
		return closeGate, why
	default:
		return stop, why
	}
}

// follow is a standby without a lead: it keeps its files in order.
func follow(f facts) (verb, trouble) {
	switch {
	case f.Promoted:
		// The session's term is not led any more.
		return fence, f.NotLead
	case !f.Configured:
		return configure, f.NotLead
	case !f.Certified:
		return certify, f.NotLead
	default:
		return wait, f.NotLead
	}
}

// lead is the way from a won term to an open gate, and the upkeep after it.
func lead(f facts) (verb, trouble) {
	opening := trouble{"Opening", "The member leads and opens its engine for clients."}
	switch {
	case !f.Promoted:
		return promote, opening
	case !f.Barrier:
		return barrier, opening
	case !f.Accounts && f.Gate == engine.GateClosed:
		return accounts, opening
	case f.Gate != engine.GateOpen:
		return openGate, opening
	case !f.Configured:
		return configure, trouble{}
	case !f.Certified:
		return certify, trouble{}
	case !f.Accounts:
		return accounts, trouble{}
	default:
		return wait, trouble{}
	}
}
