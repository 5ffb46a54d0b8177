package access

import (
	"context"
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	authenticationv1 "k8s.io/api/authentication/v1"
)

const (
	// A decision is kept for a scraper's sake; a right that is withdrawn ends
	// after this. Refusals are kept too, so that a flood of bad tokens is not
	// passed on to the API server.
	keepAllowed = time.Minute
	keepRefused = 10 * time.Second
	// keepMost bounds the memory; beyond it all is asked anew.
	keepMost = 1000
	// reviewTimeout bounds one question to the API server.
	reviewTimeout = 10 * time.Second
)

// reviewer asks the API server. Both verbs block until it answers or ctx ends.
type reviewer interface {
	// Authenticate returns nil for a token that it does not know.
	Authenticate(ctx context.Context, token string) (*authenticationv1.UserInfo, error)
	// Authorize tells whether the user may use verb on path.
	Authorize(ctx context.Context, user *authenticationv1.UserInfo, verb, path string) (bool, error)
}

// guard stands before a handler.
type guard struct {
	reviewer reviewer
	log      logr.Logger
	next     http.Handler
	now      func() time.Time

	mu   sync.Mutex
	kept map[[sha256.Size]byte]decision
}

type decision struct {
	status int // http.StatusOK lets through
	until  time.Time
}

// ServeHTTP implements http.Handler.
func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found || token == "" {
		http.Error(w, "Unauthorized", http.StatusUnauthorized)
		return
	}
	if status := g.decide(r.Context(), token, strings.ToLower(r.Method), r.URL.Path); status != http.StatusOK {
		http.Error(w, http.StatusText(status), status)
		return
	}
	g.next.ServeHTTP(w, r)
}

// decide answers from memory or asks. What could not be asked is refused and
// not kept.
func (g *guard) decide(ctx context.Context, token, verb, path string) int {
	key := sha256.Sum256([]byte(verb + "\n" + path + "\n" + token))
	if status, ok := g.recall(key); ok {
		return status
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	status, err := g.ask(ctx, token, verb, path)
	if err != nil {
		g.log.Error(err, "asking the API server about a reader of metrics")
		return http.StatusInternalServerError
	}
	g.keep(key, status)
	return status
}

func (g *guard) ask(ctx context.Context, token, verb, path string) (int, error) {
	user, err := g.reviewer.Authenticate(ctx, token)
	if err != nil {
		return 0, err
	}
	if user == nil {
		return http.StatusUnauthorized, nil
	}
	allowed, err := g.reviewer.Authorize(ctx, user, verb, path)
	if err != nil {
		return 0, err
	}
	if !allowed {
		return http.StatusForbidden, nil
	}
	return http.StatusOK, nil
}

func (g *guard) recall(key [sha256.Size]byte) (int, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	d, ok := g.kept[key]
	return d.status, ok && g.now().Before(d.until)
}

func (g *guard) keep(key [sha256.Size]byte, status int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.kept == nil || len(g.kept) >= keepMost {
		g.kept = map[[sha256.Size]byte]decision{}
	}
	until := g.now().Add(keepRefused)
	if status == http.StatusOK {
		until = g.now().Add(keepAllowed)
	}
	g.kept[key] = decision{status, until}
}
