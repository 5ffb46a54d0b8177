package agent

import (
	"slices"
	"time"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
)

// publish makes what the loop knows visible to the servers.
func (m *member) publish(now time.Time) {
	st, e := m.store.Get(), &m.engine
	s := &agentapi.Status{
		Member: m.o.Pod, UID: st.MemberUID, ClusterUID: st.ClusterUID, Ordinal: m.ordinal, AgentVersion: m.o.Version,
		Role: agentapi.RoleStarting,
		// An open gate is not enough: behind it the engine may be dying, or wait
		// for its disk.
		Ready: e.gate == engine.GateOpen && !m.stopping && !m.fault.any() && !m.diskStuck(now),

		Unrouted:      m.lead != nil && !m.routed,
		EngineVersion: e.probe.Version, PendingRestart: slices.Clone(e.pending), EngineStarts: m.starts,
		Transitions: m.ring.list,
	}
	if e.probe.Log != nil {
		s.Position = e.probe.Log.String()
	}
	if e.promoted {
		s.Role = agentapi.RolePrimary
	}
	if r := st.Seen; r != nil {
		s.Term, s.RecordVersion, s.RuleMembers, s.RuleAcks = r.Term, r.Version, r.Members, r.Acks
	}
	if m.mounted != nil {
		s.Certificate = m.mounted.Keys.pair.Leaf.NotAfter.UTC()
		m.noteInUse(now)
	}
	s.SpecGeneration, s.ConfigHash = m.specInUse, m.hashInUse
	t := m.trouble(now)
	s.Reason, s.Message = t.Reason, t.Message
	m.status.Store(s)
}

// noteInUse notes when all of what is mounted has been put in force.
func (m *member) noteInUse(now time.Time) {
	f := m.facts(now)
	if f.Mounted && f.Up && f.Configured && !m.wantsRefused() && f.Certified && (f.Accounts || !f.Promoted) {
		m.specInUse, m.hashInUse = m.mounted.Spec.Generation, m.mounted.Hash
	}
}

// trouble is the one thing that people should know first.
func (m *member) trouble(now time.Time) trouble {
	for _, t := range []trouble{
		m.fault, m.diskTrouble(now), m.refused, m.crashTrouble(), m.configTrouble(), m.engineLane.problem, m.mountProblem, m.registerLane.problem, m.why, m.routesLane.problem,
	} {
		if t.any() {
			return t
		}
	}
	return trouble{}
}

func (m *member) diskTrouble(now time.Time) trouble {
	if m.diskStuck(now) {
		return trouble{"DiskStuck", "The volume does not answer. The member waits for it."}
	}
	d := m.disk
	if m.diskTold == agentapi.ReasonDiskFull {
		// Space comes and goes with the engine's own files: what was full is well
		// again only with as much once more, or it would be told in turns.
		d.Free -= min(d.Free, diskFull)
	}
	return d.trouble()
}

// tellDisk makes a transition of each change of the volume's health.
func (m *member) tellDisk(now time.Time) {
	t := m.diskTrouble(now)
	switch {
	case t.Reason == m.diskTold:
		return
	case t.any():
		m.transition(t.Reason, "%s", t.Message)
	default:
		m.transition("DiskRecovered", "The volume is well again.")
	}
	m.diskTold = t.Reason
}

// crashTrouble is told until the engine serves again.
func (m *member) crashTrouble() trouble {
	if m.engine.up {
		return trouble{}
	}
	return m.crash
}
