package sim

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// verbs are the commands of stories. A new one is a function here; what goes
// wrong is in stories_faults_test.go, what must be so in stories_expect_test.go.
var verbs = map[string]func(s *story, words []string) error{
	"start":   start,   // start 3 timelines degrade: a new Database, told from its first moment
	"members": members, // members 3 sets block: one that is complete, with its clients at work
	"advance": advance, // advance 2s
	"await":   await,   // await complete, await serving, await claim: as long as it takes
	"expect":  expect,

	"write":      burst,      // write 20: so many writes at once
	"cut":        cut,        // cut a from b c register
	"heal":       heal,       // the network and the register are well again
	"power":      power,      // power off a b, power on a
	"kill":       kill,       // kill engine a, kill agent a
	"pause":      pauseFor,   // pause agent a for 10s, pause machine a for 10s
	"register":   registerIs, // register down, register up, register deleted, register late
	"lose":       lose,       // lose volume b: a new one takes its place
	"photograph": takePhotograph,
	"restore":    restore,     // restore c: its volume is as it was in the photograph
	"copy":       copyVolume,  // copy a to c: c's volume is replaced by a copy of a's
	"scale":      scale,       // scale 3
	"switchover": handOverTo,  // switchover to b
	"operator":   operatorRun, // operator stops, operator starts
}

var errWords = errors.New("it does not have these words")

// start begins a new Database.
func start(s *story, words []string) error {
	p, err := planOf(words)
	if err != nil {
		return err
	}
	s.begin(p)
	return nil
}

// members begins with a Database that is complete.
func members(s *story, words []string) error {
	p, err := planOf(words)
	if err != nil {
		return err
	}
	s.begin(p)
	if err := s.settle(); err != nil {
		return err
	}
	s.sayWhoLeads()
	return nil
}

func planOf(words []string) (plan, error) {
	if len(words) != 3 {
		return plan{}, errWords
	}
	n, err := countOf(words[0])
	if err != nil {
		return plan{}, err
	}
	p := plan{members: n, block: words[2] == "block", flavour: timelines}
	if words[1] == sets.String() {
		p.flavour = sets
	}
	if words[1] != p.flavour.String() || words[2] != "block" && words[2] != "degrade" {
		return plan{}, errWords
	}
	return p, nil
}

func countOf(word string) (int, error) {
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > ha.MaxMembers {
		return 0, fmt.Errorf("%q is no number of members", word)
	}
	return n, nil
}

// sayWhoLeads says what a complete Database is like.
func (s *story) sayWhoLeads() {
	r := s.w.register.record
	s.say("%s leads term %d and serves. The register holds version %d: %s", short(r.Leader), r.Term, r.Version, ruleOf(r.Rule))
}

// ruleOf says what a rule asks of a write.
func ruleOf(r ha.Rule) string {
	if len(r.Members) == 1 {
		return "a write needs " + shortAll(r.Members) + " alone"
	}
	return fmt.Sprintf("a write needs %d of %s", r.Acks, shortAll(r.Members))
}

func advance(s *story, words []string) error {
	if len(words) != 1 {
		return errWords
	}
	d, err := time.ParseDuration(words[0])
	if err != nil {
		return fmt.Errorf("reading a duration: %w", err)
	}
	s.writes = s.w.register.writes
	s.advance(d)
	return nil
}

// await gives up after a minute.
func await(s *story, words []string) error {
	switch strings.Join(words, " ") {
	case "complete":
		return s.await(time.Minute, s.complete)
	case "claim":
		tried := s.w.register.tried
		return s.await(time.Minute, func() bool { return s.w.register.tried > tried })
	case "serving":
		answered := len(s.writers.sure)
		return s.await(time.Minute, func() bool { return len(s.writers.sure) > answered })
	}
	return errWords
}

func scale(s *story, words []string) error {
	if len(words) != 1 {
		return errWords
	}
	n, err := countOf(words[0])
	if err != nil {
		return err
	}
	s.w.operator.members = n
	s.w.publish()
	return nil
}

func handOverTo(s *story, words []string) error {
	if len(words) != 2 || words[0] != "to" {
		return errWords
	}
	p, err := s.pod(words[1])
	if err != nil {
		return err
	}
	s.w.operator.switchover = ha.Switchover{Term: s.w.register.record.Term, Target: p.ordinal}
	s.w.publish()
	return nil
}

func operatorRun(s *story, words []string) error {
	switch strings.Join(words, " ") {
	case "stops":
		s.w.operator.down++
	case "starts":
		s.w.operator.down = 0
	default:
		return errWords
	}
	return nil
}

// complete tells whether all wanted members are in the rule and copy.
func (s *story) complete() bool {
	for _, p := range s.w.pods {
		if p != nil && p != s.w.leader() && p.engine.observe().Source.UID == "" {
			return false
		}
	}
	return s.w.complete()
}

// podsOf finds pods by their letters; "all" are all.
func (s *story) podsOf(words []string) ([]*pod, error) {
	if len(words) == 0 {
		return nil, errWords
	}
	var found []*pod
	if words[0] == "all" {
		found = slices.DeleteFunc(slices.Clone(s.w.pods), func(p *pod) bool { return p == nil })
		return found, nil
	}
	for _, word := range words {
		p, err := s.pod(word)
		if err != nil {
			return nil, err
		}
		found = append(found, p)
	}
	return found, nil
}
