package driver

import (
	"regexp"
	"strings"
	"time"

	"github.com/myuser/db-operator/internal/engine"
)

// logLine: time, thread, priority, code, subsystem, text
// (https://dev.mysql.com/doc/refman/9.7/en/error-log-format.html).
var logLine = regexp.MustCompile(`^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d:\d\d)) \d+ \[(\w+)\] \[(MY-\d+)\] \[\w+\] (.*)$`)

var levels = map[string]string{"ERROR": "error", "Warning": "warning", "Note": "info", "System": "info"}

// ParseLog implements engine.LogParser for the traditional error log on stderr.
// A line without its head continues the record before it: the server writes
// stack traces and status reports so.
func ParseLog(line string) engine.LogLine {
	part := logLine.FindStringSubmatch(line)
	if part == nil {
		return engine.LogLine{Message: line, Continuation: strings.TrimSpace(line) == "" || strings.ContainsAny(line[:1], " \t")}
	}
	at, err := time.Parse(time.RFC3339Nano, part[1])
	if err != nil {
		return engine.LogLine{Message: line}
	}
	return engine.LogLine{Time: at, Level: levels[part[2]], Code: part[3], Message: part[4]}
}
