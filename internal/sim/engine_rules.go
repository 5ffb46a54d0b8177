package sim

// engineRule is one thing that a driver must do so that its engine keeps what
// package ha believes of it. All are obeyed unless a test switches one off to
// see that harm follows.
type engineRule int

const (
	bootsAsStandby engineRule = iota
	resumesNoSession
	killsAtOnce
	killsEveryProcess
	endsReceiver
	waitsForEndOfLog
	bindsSessions
	bindsBeforePromoting
	clonesSameTimeline
	checksLineage
	pinsSession
	tellsUnfed
	comparesWholeEntries
	keepsMinimum
	keepsSentinel
	provesRule
	namesNeverEmpty
	ruleBeforeWrite
	closesBeforePromoting
	provesGate
	slotPerMember
	raisesFirst
	lowersLast
	awaitsCutOff
	locksOut
	appliesBeforeChange
	flushesBeforeAck
	takesNewServer
	killsWorkers
	endsBlockers
	beats
	subtractsErrant
	engineRules
)

// engineRuleNames are what sabotages are called by, with what each rule asks.
var engineRuleNames = [engineRules]struct{ name, asks string }{
	bootsAsStandby:        {"boots-as-standby", "every start is one as a standby without a source"},
	resumesNoSession:      {"resumes-no-session", "an engine that went down in a session does not come back in it"},
	killsAtOnce:           {"kills-at-once", "a fence is SIGKILL: a graceful stop releases the commits that wait, as successful (sets)"},
	killsEveryProcess:     {"kills-every-process", "down is told when no process is left, not when the first one is gone (timelines)"},
	endsReceiver:          {"ends-receiver", "frozen is told when the receiver has ended, not when the source is empty"},
	waitsForEndOfLog:      {"waits-for-end-of-log", "after a start the position is unknown until the log was read to its end (timelines)"},
	bindsSessions:         {"binds-sessions", "a timeline stands for one session on a volume; the same number for another is divergence (timelines)"},
	bindsBeforePromoting:  {"binds-before-promoting", "the session is on the disk before the timeline can exist (timelines)"},
	clonesSameTimeline:    {"clones-same-timeline", "a rewind sees no difference within one timeline: clone (timelines)"},
	checksLineage:         {"checks-lineage", "a log that is no prefix of the leader's follows nobody"},
	pinsSession:           {"pins-session", "a receiver that reconnects by itself gets into no other session"},
	tellsUnfed:            {"tells-unfed", "a leader that no longer has what is missing is told as divergence"},
	comparesWholeEntries:  {"compares-whole-entries", "half an entry at the end is no divergence"},
	keepsMinimum:          {"keeps-minimum", "a rewound log has no position before it is whole again"},
	keepsSentinel:         {"keeps-sentinel", "data whose rewind or clone was cut short is no data"},
	provesRule:            {"proves-rule", "a rule counts when commits wait by it, not when it is shown (timelines)"},
	namesNeverEmpty:       {"names-never-empty", "a standby names somebody, so that no promotion starts without waiting (timelines)"},
	ruleBeforeWrite:       {"rule-before-write", "the rule is in force before the first write of a session"},
	closesBeforePromoting: {"closes-before-promoting", "reading sessions would become writing ones"},
	provesGate:            {"proves-gate", "a gate is closed when a login was refused and no session is left"},
	slotPerMember:         {"slot-per-member", "a second receiver of one member ends the first"},
	raisesFirst:           {"raises-first", "the count rises before a new member is let in (sets)"},
	lowersLast:            {"lowers-last", "the count falls after the outsiders are cut off (sets)"},
	awaitsCutOff:          {"awaits-cut-off", "a connection that was killed counts until it is gone (sets)"},
	locksOut:              {"locks-out", "who is out of the rule gets in again only when it no longer acknowledges (sets)"},
	appliesBeforeChange:   {"applies-before-change", "a change of source drops what was received and not applied (sets)"},
	flushesBeforeAck:      {"flushes-before-ack", "what is acknowledged is on the disk"},
	takesNewServer:        {"takes-new-server", "a truncated log goes on under a new server: numbers are given once (sets)"},
	killsWorkers:          {"kills-workers", "half an entry blocks a promotion for a minute (sets)"},
	endsBlockers:          {"ends-blockers", "sessions that hold replay back keep a member from promoting and from reconnecting (timelines)"},
	beats:                 {"beats", "a lost acknowledgement is made up for by the next write, so there must be one (sets)"},
	subtractsErrant:       {"subtracts-errant", "writes of its own do not count for a member's position (sets)"},
}

// String is the name of the rule.
func (r engineRule) String() string { return engineRuleNames[r].name }

// engineOptions say how the engines of a world behave. The zero value is a
// good driver over kind engines.
type engineOptions struct {
	disobeyed uint64 // rules switched off, a bit each
	unkind    unkindness
}

// without switches a rule off.
func (o engineOptions) without(r engineRule) engineOptions {
	o.disobeyed |= 1 << r
	return o
}

// unkindness is what real engines do and kind ones do not. Each was seen; none
// may break anything while the rules are obeyed.
type unkindness struct {
	replayConflicts bool // replay stands still for a while, and with it whatever waits for it
	slowRecovery    bool // after a start the log is read for a while
	lateRules       bool // a first rule is shown long before commits wait by it
	tornEntries     bool // a killed follower keeps half an entry
	recycling       bool // a leader keeps only the newest part of its log
	slowDeath       bool // killing takes as long as the fence allows for
	orphans         bool // sessions outlive the first process
	lingering       bool // sessions and connections outlive their end for a while
	lostAcks        bool // a reconnected follower acknowledges nothing old, and nothing for a second
	slowRebuilds    bool
	slowCatchUp     bool // what a follower missed comes slowly
	accounts        bool // some writes are about accounts: logins wait for them (sets)
	foreignWrites   bool // some errant writes are under nobody's number (sets)
}

// unkindEngines are what random runs use.
func unkindEngines() engineOptions {
	return engineOptions{unkind: unkindness{
		replayConflicts: true, slowRecovery: true, lateRules: true, tornEntries: true, recycling: true, slowDeath: true, orphans: true,
		lingering: true, lostAcks: true, slowRebuilds: true, slowCatchUp: true, accounts: true, foreignWrites: true,
	}}
}

// obeys tells whether the driver keeps to a rule.
func (e *engine) obeys(r engineRule) bool { return e.w.options.engine.disobeyed&(1<<r) == 0 }

// unkind is what the engine may do to its driver.
func (e *engine) unkind() *unkindness { return &e.w.options.engine.unkind }
