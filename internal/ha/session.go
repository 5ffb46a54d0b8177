package ha

import "fmt"

// Session is one stretch of writing by one leader: Incarnation is that
// member's persistent count of promotions. An engine restart ends a session,
// so one term may hold several. The zero Session is none.
type Session struct {
	Term        int64 `json:"term"`
	Incarnation int64 `json:"incarnation"`
}

// Before orders sessions by term, then by incarnation.
func (s Session) Before(o Session) bool {
	return s.Term < o.Term || s.Term == o.Term && s.Incarnation < o.Incarnation
}

// String draws the session for logs and test output.
func (s Session) String() string { return fmt.Sprintf("(%d,%d)", s.Term, s.Incarnation) }
