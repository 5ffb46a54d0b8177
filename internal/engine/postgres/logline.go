package postgres

import (
	"regexp"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

// The form is log_line_prefix '%m [%p] %e ' with log_timezone UTC, then the
// severity. https://www.postgresql.org/docs/current/runtime-config-logging.html
var logForm = regexp.MustCompile(`^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}) UTC \[(\d+)\] ([0-9A-Z]{5}) ([A-Z]+[1-5]?):  (.*)$`)

const logTime = "2006-01-02 15:04:05.000"

// levels of the severities. Those that are missing explain the line before.
var levels = map[string]string{
	"DEBUG1": "debug", "DEBUG2": "debug", "DEBUG3": "debug", "DEBUG4": "debug", "DEBUG5": "debug",
	"LOG": "info", "INFO": "info", "NOTICE": "info", "WARNING": "warning",
	// FATAL ends one session, PANIC the server.
	"ERROR": "error", "FATAL": "error", "PANIC": "fatal",
}

// expected are codes of what the server calls fatal and the agent causes
// itself: its probes while the server starts, and the end of clients' sessions
// when the gate closes.
var expected = map[string]string{"57P03": "debug", "57P01": "info"}

// GateUser is a name that no account has, by which the driver tries whether
// clients are refused.
const GateUser = "db_operator_gate"

// ParseLog is the server's engine.LogParser. The code 00000 is left out.
func ParseLog(line string) engine.LogLine {
	if strings.HasPrefix(line, "\t") { // the server's mark of a message's further lines
		return engine.LogLine{Message: line[1:], Continuation: true}
	}
	parts := logForm.FindStringSubmatch(line)
	if parts == nil {
		return engine.LogLine{Level: "info", Message: line}
	}
	at, err := time.Parse(logTime, parts[1])
	if err != nil {
		return engine.LogLine{Level: "info", Message: line}
	}
	level, begins := levels[parts[4]]
	if !begins {
		return engine.LogLine{Time: at, Message: parts[4] + ": " + parts[5], Continuation: true}
	}
	code := parts[3]
	if code == "00000" {
		code = ""
	}
	if quiet, ok := expected[code]; ok {
		level = quiet
	}
	if code == "28000" && strings.Contains(parts[5], `user "`+GateUser+`"`) {
		level = "debug"
	}
	return engine.LogLine{Time: at, Level: level, Code: code, Message: parts[5]}
}
