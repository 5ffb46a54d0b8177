package mysql

import (
	"regexp"
	"strings"
)

// plainValue needs no quotes in an option file.
var plainValue = regexp.MustCompile(`^[A-Za-z0-9_.,:*/+-]+$`)

var optionEscapes = strings.NewReplacer(
	`\`, `\\`,
	`"`, `\"`,
	"\n", `\n`,
	"\r", `\r`,
	"\t", `\t`,
)

// quote writes a value so that the option file reader gives it back unchanged:
// it cuts at #, trims blanks, strips one pair of quotes and resolves backslash
// escapes (https://dev.mysql.com/doc/refman/9.7/en/option-files.html).
func quote(value string) string {
	if plainValue.MatchString(value) {
		return value
	}
	return `"` + optionEscapes.Replace(value) + `"`
}
