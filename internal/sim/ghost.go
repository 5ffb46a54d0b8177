package sim

// faultMountTwice makes the cluster give a pod up that runs on: its name and
// its volume go to a new pod, while the old agent still speaks as the member.
// Its engine ends when the new one takes the files; its agent has to be told.
func (w *world) faultMountTwice(_ *fault, p *pod) {
	if !p.up || len(w.ghosts) > 0 {
		return
	}
	p.ghost = true
	p.forgotten = w.clock + w.between(500*ms, 6000*ms)
	w.pods[p.ordinal] = nil
	w.ghosts = append(w.ghosts, p)
}

// takeFiles ends what a ghost's engine does on a volume that a new pod starts
// on. To the ghost it looks as if everything had gone.
func (w *world) takeFiles(v *volume) {
	for _, g := range w.ghosts {
		if g.volume != v || g.engine != v.engine {
			continue
		}
		v.engine.powerLoss(false) // what ran there is gone before anybody can call it so
		g.engine = newEngine(w, g.ordinal, w.plan.flavour)
		g.engine.uid = g.state.UID
		g.engine.fullDisk(true) // and it can make no other
		if g.up {
			g.runner.want, g.runner.guardian = g.state.Want, 0
			g.engine.agentStarted()
			g.engine.setWant(g.state.Want)
		}
	}
}

// endGhosts is when their machines are switched off at last.
func (w *world) endGhosts() {
	for _, g := range w.ghosts {
		g.die()
		g.gone = true
	}
	w.ghosts = nil
}
