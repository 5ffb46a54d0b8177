package mysql

import (
	"fmt"

	"github.com/myuser/db-operator/internal/ha"
)

// incarnations is how many sessions one term has numbers for.
const incarnations = 1 << 24

// BarrierGTID is the transaction that begins a session: the uid of the cluster
// stands for a server that never was, and the number grows with the session.
// So the newest session shows in the set itself, and a clone carries it.
func BarrierGTID(clusterUID string, s ha.Session) (string, error) {
	n := s.Term*incarnations + s.Incarnation
	switch {
	case !uuidShape.MatchString(clusterUID):
		return "", fmt.Errorf("naming the barrier of session %s: %q is not a UUID in lower case", s, clusterUID)
	case s.Term < 1 || s.Term > largestNumber/incarnations-1 || s.Incarnation < 0 || s.Incarnation >= incarnations:
		return "", fmt.Errorf("naming the barrier of session %s: it has no number", s)
	}
	return fmt.Sprintf("%s:%d", clusterUID, n), nil
}

// NewestSession is the session of the last barrier in the set; the zero
// Session if there is none.
func (s Set) NewestSession(clusterUID string) ha.Session {
	n := s.Newest(clusterUID)
	return ha.Session{Term: n / incarnations, Incarnation: n % incarnations}
}
