package sim

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// expectations are what stories demand. Each returns what it found; whether the
// invariants hold is looked at after every command.
var expectations = map[string]func(s *story, words []string) (string, error){
	"leader":       expectLeader,       // expect leader b or c, expect leader nobody
	"rule":         expectRule,         // expect rule 2 of a b c
	"acknowledged": expectAcknowledged, // every write that succeeded is there
	"gap":          expectGap,          // expect gap below 3s
	"register":     expectUntouched,    // expect register untouched: since the last advance
	"refused":      expectRefused,      // expect refused: no member serves a write
}

func expect(s *story, words []string) error {
	if len(words) == 0 {
		return errWords
	}
	look, known := expectations[words[0]]
	if !known {
		return fmt.Errorf("nothing is called %q", words[0])
	}
	found, err := look(s, words[1:])
	if err != nil {
		return err
	}
	s.say("yes: %s", found)
	return nil
}

func expectLeader(s *story, words []string) (string, error) {
	name := "nobody"
	if p := s.w.leader(); p != nil && p.engine.gateOpen() {
		name = short(p.volume.state.UID)
	}
	if len(words) == 0 || !slices.Contains(strings.Split(strings.Join(words, " "), " or "), name) {
		return "", fmt.Errorf("%s leads and serves", name)
	}
	return fmt.Sprintf("%s leads and serves, in term %d", name, s.w.register.record.Term), nil
}

func expectRule(s *story, words []string) (string, error) {
	r := s.w.register.record.Rule
	if got := fmt.Sprintf("%d of %s", r.Acks, shortAll(r.Members)); got != strings.Join(words, " ") {
		return "", fmt.Errorf("the rule is %s", got)
	}
	return ruleOf(r), nil
}

func expectAcknowledged(s *story, _ []string) (string, error) {
	p := s.w.leader()
	if p == nil {
		return "", fmt.Errorf("nobody leads: %s", s.w.restless())
	}
	for _, id := range s.writers.sure {
		if !p.engine.contains(id) {
			return "", fmt.Errorf("%s does not have write %d, which succeeded", p.name, id)
		}
	}
	return fmt.Sprintf("%s has all %d writes that succeeded", short(p.state.UID), len(s.writers.sure)), nil
}

func expectGap(s *story, words []string) (string, error) {
	if len(words) != 2 || words[0] != "below" {
		return "", errWords
	}
	limit, err := time.ParseDuration(words[1])
	if err != nil {
		return "", fmt.Errorf("reading a duration: %w", err)
	}
	longest := s.writers.longest(s.w.clock)
	s.writers.forget(s.w.clock)
	if longest >= limit {
		return "", fmt.Errorf("no write succeeded for %.2fs", longest.Seconds())
	}
	return "the longest time without a successful write was " + strconv.FormatFloat(longest.Seconds(), 'f', 2, 64) + "s", nil
}

func expectUntouched(s *story, words []string) (string, error) {
	if len(words) != 1 || words[0] != "untouched" {
		return "", errWords
	}
	if n := s.w.register.writes - s.writes; n > 0 {
		return "", fmt.Errorf("it was written %d times", n)
	}
	return "nobody wrote to the register", nil
}

func expectRefused(s *story, _ []string) (string, error) {
	for _, p := range s.w.pods {
		if p != nil && p.engine.serves() > ha.GateClosed {
			return "", fmt.Errorf("%s serves clients", p.name)
		}
	}
	return "no member lets a client in", nil
}
