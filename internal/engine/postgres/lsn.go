package postgres

import (
	"fmt"
	"strconv"
	"strings"
)

// LSN is a byte's place in the log of one timeline.
// https://www.postgresql.org/docs/current/datatype-pg-lsn.html
type LSN uint64

// String is the server's notation: two hexadecimal halves.
func (l LSN) String() string { return fmt.Sprintf("%X/%X", uint32(l>>32), uint32(l)) }

// ParseLSN reads what String and the server write. Since 19 the server writes
// the second half with leading zeros, which is the same number.
func ParseLSN(text string) (LSN, error) {
	high, low, found := strings.Cut(text, "/")
	if !found || len(high) > 8 || len(low) > 8 {
		return 0, fmt.Errorf("reading log position %q: it is not two hexadecimal numbers around a slash", text)
	}
	h, err := strconv.ParseUint(high, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("reading log position %q: %w", text, err)
	}
	l, err := strconv.ParseUint(low, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("reading log position %q: %w", text, err)
	}
	return LSN(h<<32 | l), nil
}
