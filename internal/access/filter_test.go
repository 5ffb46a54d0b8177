package access

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
)

// people answers from a table and counts the questions.
type people struct {
	known, allowed map[string]bool
	away           bool
	asked          int
}

func (p *people) Authenticate(_ context.Context, token string) (*authenticationv1.UserInfo, error) {
	p.asked++
	if p.away {
		return nil, errors.New("no API server")
	}
	if !p.known[token] {
		return nil, nil
	}
	return &authenticationv1.UserInfo{Username: token}, nil
}

func (p *people) Authorize(_ context.Context, user *authenticationv1.UserInfo, verb, path string) (bool, error) {
	return verb == "get" && path == "/metrics" && p.allowed[user.Username], nil
}

func TestGuard(t *testing.T) {
	for name, c := range map[string]struct {
		header string
		away   bool
		want   int
	}{
		"a known reader with the right":   {header: "Bearer scraper", want: http.StatusOK},
		"a known reader without it":       {header: "Bearer pod", want: http.StatusForbidden},
		"an unknown token":                {header: "Bearer guess", want: http.StatusUnauthorized},
		"no token":                        {want: http.StatusUnauthorized},
		"an empty token":                  {header: "Bearer ", want: http.StatusUnauthorized},
		"another scheme":                  {header: "Basic c2NyYXBlcjo=", want: http.StatusUnauthorized},
		"nobody to ask":                   {header: "Bearer scraper", away: true, want: http.StatusInternalServerError},
		"a token in the wrong upper case": {header: "Bearer SCRAPER", want: http.StatusUnauthorized},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGuard(&people{known: map[string]bool{"scraper": true, "pod": true}, allowed: map[string]bool{"scraper": true}, away: c.away})
			if got := visit(g, c.header, "/metrics"); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestDecisionsAreKeptForAWhile(t *testing.T) {
	asks := &people{known: map[string]bool{"scraper": true}, allowed: map[string]bool{"scraper": true}}
	g, now := newGuard(asks), time.Now()
	g.now = func() time.Time { return now }
	for range 5 {
		visit(g, "Bearer scraper", "/metrics")
	}
	if asks.asked != 1 {
		t.Errorf("asked %d times", asks.asked)
	}
	if got := visit(g, "Bearer scraper", "/debug"); got != http.StatusForbidden {
		t.Errorf("a decision about one path was taken for another: %d", got)
	}
	asks.known = nil
	now = now.Add(keepAllowed)
	if got := visit(g, "Bearer scraper", "/metrics"); got != http.StatusUnauthorized {
		t.Errorf("a withdrawn token still reads: %d", got)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	g := newGuard(&people{})
	for i := range 3 * keepMost {
		visit(g, "Bearer "+string(rune('a'+i%26))+time.Duration(i).String(), "/metrics")
	}
	if len(g.kept) > keepMost {
		t.Errorf("%d decisions are kept", len(g.kept))
	}
}

func newGuard(r reviewer) *guard {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	return &guard{reviewer: r, log: logr.Discard(), next: ok, now: time.Now}
}

func visit(g *guard, header, path string) int {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	if header != "" {
		request.Header.Set("Authorization", header)
	}
	answer := httptest.NewRecorder()
	g.ServeHTTP(answer, request)
	return answer.Code
}
