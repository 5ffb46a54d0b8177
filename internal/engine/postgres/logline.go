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
	"ERROR": "error", "FATAL": "fatal", "PANIC": "fatal",
}

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
	return engine.LogLine{Time: at, Level: level, Code: code, Message: parts[5]}
}
