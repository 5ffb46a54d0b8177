package mysql

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// largestNumber is the highest GTID that a server gives out: 2^63 - 2.
const largestNumber = math.MaxInt64 - 1

var (
	uuidShape = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	tagShape  = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,31}$`)
)

// ParseSet reads a set as the server writes it: "uuid:1-5:7:tag:1-3,uuid:…",
// with white space anywhere between the parts. A tag holds for the intervals
// that follow it (https://dev.mysql.com/doc/refman/9.7/en/replication-gtids-concepts.html).
func ParseSet(text string) (Set, error) {
	out := map[source][]interval{}
	for part := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		if err := parseServer(out, part); err != nil {
			return Set{}, fmt.Errorf("reading GTID set: %w", err)
		}
	}
	for src := range out {
		out[src] = normal(out[src])
	}
	return Set{out}, nil
}

// parseServer reads one server's part and adds it to out.
func parseServer(out map[source][]interval, part string) error {
	fields := strings.Split(strings.ToLower(part), ":")
	src := source{uuid: strings.TrimSpace(fields[0])}
	if !uuidShape.MatchString(src.uuid) {
		return fmt.Errorf("%q does not begin with a UUID", part)
	}
	found := false
	for _, field := range fields[1:] {
		field = strings.TrimSpace(field)
		if tagShape.MatchString(field) {
			src.tag = field
			found = false
			continue
		}
		i, err := parseInterval(field)
		if err != nil {
			return err
		}
		out[src] = append(out[src], i)
		found = true
	}
	if !found {
		return fmt.Errorf("%q ends without an interval", part)
	}
	return nil
}

func parseInterval(field string) (interval, error) {
	first, last, isRange := strings.Cut(field, "-")
	if !isRange {
		last = first
	}
	a, errA := parseNumber(first)
	b, errB := parseNumber(last)
	if errA != nil || errB != nil || a > b {
		return interval{}, fmt.Errorf("%q is neither an interval nor a tag", field)
	}
	return interval{a, b}, nil
}

func parseNumber(text string) (int64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 63)
	if err != nil {
		return 0, err
	}
	if n < 1 || n > largestNumber {
		return 0, strconv.ErrRange
	}
	return int64(n), nil
}

// String writes the set as the server does: sorted by server, the untagged
// numbers before the tags.
func (s Set) String() string {
	var b strings.Builder
	var before source
	for _, src := range slices.SortedFunc(maps.Keys(s.sources), compareSources) {
		switch {
		case src.uuid != before.uuid && b.Len() > 0:
			b.WriteString(",")
			fallthrough
		case src.uuid != before.uuid:
			b.WriteString(src.uuid)
		}
		if src.tag != "" {
			b.WriteString(":" + src.tag)
		}
		for _, i := range s.sources[src] {
			b.WriteString(":" + i.String())
		}
		before = src
	}
	return b.String()
}

func (i interval) String() string {
	if i.first == i.last {
		return strconv.FormatInt(i.first, 10)
	}
	return strconv.FormatInt(i.first, 10) + "-" + strconv.FormatInt(i.last, 10)
}

func compareSources(a, b source) int {
	return cmp.Or(strings.Compare(a.uuid, b.uuid), strings.Compare(a.tag, b.tag))
}
