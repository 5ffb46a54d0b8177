package sim

import (
	"fmt"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// cut parts a pod from others, agents and engines, both ways. "cut engines"
// parts the logs alone. One of the others may be the register.
func cut(s *story, words []string) error {
	n := &s.w.network
	kinds := []*[ha.MaxMembers][ha.MaxMembers]link{&n.agents, &n.engines}
	if len(words) > 0 && words[0] == "engines" {
		kinds, words = kinds[1:], words[1:]
	}
	if len(words) < 3 || words[1] != "from" {
		return errWords
	}
	p, err := s.pod(words[0])
	if err != nil {
		return err
	}
	for _, word := range words[2:] {
		if word == "register" {
			n.api[p.ordinal].cuts++
			continue
		}
		o, err := s.pod(word)
		if err != nil {
			return err
		}
		for _, links := range kinds {
			links[p.ordinal][o.ordinal].cuts++
			links[o.ordinal][p.ordinal].cuts++
		}
	}
	return nil
}

func heal(s *story, _ []string) error {
	s.w.healNetwork()
	s.w.healRegister()
	return nil
}

// power takes all that was not flushed with it.
func power(s *story, words []string) error {
	if len(words) < 2 || words[0] != "off" && words[0] != "on" {
		return errWords
	}
	pods, err := s.podsOf(words[1:])
	if err != nil {
		return err
	}
	for _, p := range pods {
		switch {
		case words[0] == "off":
			s.powerOff(p)
		case p.up:
			return fmt.Errorf("%s has power", p.name)
		default:
			p.restart(0)
		}
	}
	return nil
}

func (s *story) powerOff(p *pod) {
	if d := p.engine.data; d != nil && d.log.length > d.flushed {
		s.tell("%s: entries of its log that the disk had not flushed are lost (%d)", short(p.volume.state.UID), d.log.length-d.flushed)
	}
	p.die()
	p.engine.powerLoss(true)
	s.setClock(p)
}

// kill ends processes, which come back at once.
func kill(s *story, words []string) error {
	if len(words) < 2 {
		return errWords
	}
	pods, err := s.podsOf(words[1:])
	if err != nil {
		return err
	}
	for _, p := range pods {
		switch words[0] {
		case "engine":
			p.engine.kill()
		case "agent":
			p.die()
			p.restart(time.Second)
		default:
			return errWords
		}
	}
	return nil
}

// pauseFor stops an agent, or all processes of its machine.
func pauseFor(s *story, words []string) error {
	if len(words) != 4 || words[2] != "for" {
		return errWords
	}
	p, err := s.pod(words[1])
	if err != nil {
		return err
	}
	d, err := time.ParseDuration(words[3])
	if err != nil {
		return fmt.Errorf("reading a duration: %w", err)
	}
	switch words[0] {
	case "agent":
		p.pause(d, pauseAgent)
	case "machine":
		p.pause(d, pauseWhole)
	default:
		return errWords
	}
	return nil
}

// registerIs changes what stands between the members and the record. Late: the
// next write of it is not answered, and lands seconds after.
func registerIs(s *story, words []string) error {
	switch strings.Join(words, " ") {
	case "down":
		s.w.register.down++
	case "up":
		s.w.healRegister()
	case "deleted":
		s.w.deleteRegister()
	case "late":
		s.w.register.late++
		s.chance.low = true
		s.narrator.late = s.w.register.tried
	default:
		return errWords
	}
	return nil
}

// lose takes a pod's volume away for good.
func lose(s *story, words []string) error {
	if len(words) != 2 || words[0] != "volume" {
		return errWords
	}
	p, err := s.pod(words[1])
	if err != nil {
		return err
	}
	s.w.deletePod(p)
	s.w.volumes[p.ordinal] = nil
	return nil
}

func takePhotograph(s *story, words []string) error {
	pods, err := s.podsOf(words)
	if err != nil {
		return err
	}
	for _, p := range pods {
		s.photographs[p.ordinal] = &snapshotOf{p.volume.state, p.engine.snapshot()}
	}
	return nil
}

// restore turns a pod's volume back to its photograph.
func restore(s *story, words []string) error {
	if len(words) != 1 {
		return errWords
	}
	p, err := s.pod(words[0])
	if err != nil {
		return err
	}
	old := s.photographs[p.ordinal]
	if old == nil {
		return fmt.Errorf("there is no photograph of %s", p.name)
	}
	p.die()
	p.volume.state = old.state
	p.engine.restore(old.data)
	s.w.tainted[old.state.UID] = true
	p.restart(time.Second)
	return nil
}

// copyVolume puts a copy of one pod's volume in the place of another's.
func copyVolume(s *story, words []string) error {
	if len(words) != 3 || words[1] != "to" {
		return errWords
	}
	from, err := s.pod(words[0])
	if err != nil {
		return err
	}
	to, err := s.pod(words[2])
	if err != nil {
		return err
	}
	s.w.deletePod(to)
	v := s.w.newVolume(to.ordinal)
	s.w.uids[to.ordinal]-- // that volume's own uid is never seen
	v.state = from.volume.state
	v.engine.restore(from.engine.snapshot())
	s.w.volumes[to.ordinal] = v
	return nil
}
