package images

import (
	"fmt"
	"strconv"
	"strings"
)

// parseUser reads "uid:gid" or "uid"; without a group it is root's, as in
// Kubernetes. An empty text is root.
func parseUser(text string) (uid, gid int, err error) {
	if text == "" {
		return 0, 0, nil
	}
	first, second, both := strings.Cut(text, ":")
	if !both {
		second = "0"
	}
	for _, part := range []struct {
		text string
		into *int
	}{{first, &uid}, {second, &gid}} {
		number, err := strconv.ParseUint(part.text, 10, 31)
		if err != nil {
			return 0, 0, fmt.Errorf("user %q is not numeric (uid or uid:gid)", text)
		}
		*part.into = int(number)
	}
	return uid, gid, nil
}

// homeOf finds the home of a uid in the text of /etc/passwd; "/" when it has
// none, as container runtimes do.
func homeOf(passwd string, uid int) string {
	for _, line := range strings.Split(passwd, "\n") {
		fields := strings.Split(line, ":")
		if len(fields) >= 6 && fields[2] == strconv.Itoa(uid) {
			return fields[5]
		}
	}
	return "/"
}
