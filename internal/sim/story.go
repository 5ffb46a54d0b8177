package sim

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/ha"
)

// Teller writes a story's lines with their moments.
func Teller(out io.Writer) func(time.Duration, string) {
	return func(at time.Duration, line string) {
		fmt.Fprintf(out, "%8.3fs  %s\n", at.Seconds(), line)
	}
}

// tellStep tells what an agent heard that matters, and what changed its mind.
func (p *pod) tellStep(next *ha.State, in input, actions []ha.Action) {
	w, before := p.w, &p.state
	if m := in.message; m != nil {
		if what := body(m.Body); what != "" {
			w.tracef("%s  hears from %s: %s", p.name, m.From.UID, what)
		}
	}
	if r := in.reply; r != nil && r.Outcome != ha.Answered {
		w.tracef("%s  hears from the register: %s", p.name, [...]string{"no answer", "", "there is no such object", "conflict"}[r.Outcome])
	}
	if next.Role != before.Role {
		w.tracef("%s  is %v (was %v) %s", p.name, next.Role, before.Role, next.Why)
	} else if next.Why != before.Why {
		w.tracef("%s  %v: %s", p.name, next.Role, reason(next.Why))
	}
	if !next.Seen.Equal(before.Seen) {
		w.tracef("%s  learns %v", p.name, next.Seen)
	}
	if next.Floor != before.Floor {
		w.tracef("%s  promises to follow nobody below version %d", p.name, next.Floor)
	}
	if a, b := next.Want, before.Want; a.Mode != b.Mode || a.Source.UID != b.Source.UID || a.Source.Session != b.Source.Session ||
		a.Session != b.Session || a.Gate != b.Gate || !a.Rule.Equal(b.Rule) || a.Rebuild != b.Rebuild {
		w.tracef("%s  wants its engine %s", p.name, want(a))
	}
	for _, a := range actions {
		if what := action(a); what != "" {
			w.tracef("%s  %s", p.name, what)
		}
	}
}

func reason(r ha.Reason) string {
	if r == ha.Well {
		return "all is well"
	}
	return string(r)
}

// want draws what an engine is to be.
func want(w ha.Want) string {
	var b strings.Builder
	b.WriteString(w.Mode.String())
	switch {
	case w.Mode == ha.Standby && w.Source.UID == "":
		b.WriteString(", frozen")
	case w.Mode == ha.Standby:
		fmt.Fprintf(&b, " of %s in %v", w.Source.UID, w.Source.Session)
	case w.Mode == ha.Primary:
		fmt.Fprintf(&b, " in %v under %v, gate %v", w.Session, w.Rule, w.Gate)
	}
	if w.Rebuild {
		b.WriteString(", rebuilding")
	}
	return b.String()
}

// action draws the actions worth telling.
func action(a ha.Action) string {
	switch a := a.(type) {
	case ha.Write:
		return fmt.Sprintf("offers %v over %s/%d", a.Record, a.Base.UID, a.Base.Number)
	case ha.Send:
		if what := body(a.Body); what != "" {
			return fmt.Sprintf("to %c: %s", letter(a.To), what)
		}
	case ha.Verify:
		return "looks at its volume"
	}
	return ""
}

// body draws the messages worth telling: heartbeats and their answers are not.
func body(b ha.Body) string {
	switch b := b.(type) {
	case ha.Recruit:
		return fmt.Sprintf("join me against version %d; I am at %v", b.Base.Version, b.Position)
	case ha.Join:
		return fmt.Sprintf("I join against version %d, at %v", b.Base, b.Position)
	case ha.Refuse:
		return fmt.Sprintf("no; I have seen %v and promised %d", b.Seen, b.Floor)
	case ha.Release:
		return fmt.Sprintf("I give up version %d, for %s", b.Record.Version, b.Preferred)
	case ha.Stale:
		return fmt.Sprintf("there is a later boot of %s", b.UID)
	}
	return ""
}
