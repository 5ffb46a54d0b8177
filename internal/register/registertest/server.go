package registertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"sync"
)

// Server is an API server with the two verbs that agents use, get and update.
// It refuses an update whose resourceVersion or uid is not the object's. The
// zero value is ready.
type Server struct {
	mu      sync.Mutex
	objects map[string]map[string]any
	version int
	// Before is called for each request, if set; false ends it without an answer.
	Before func(r *http.Request) bool
	// After is called after each request has taken effect, likewise.
	After func(r *http.Request) bool
	// Token is asked for, if set.
	Token    string
	requests map[string]int
}

// Create makes or replaces the object at path, with a new uid.
func (s *Server) Create(path string, o map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects == nil {
		s.objects = map[string]map[string]any{}
	}
	o = maps.Clone(o)
	s.version++
	meta, _ := o["metadata"].(map[string]any)
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["uid"] = fmt.Sprintf("uid-%d", s.version)
	meta["resourceVersion"] = strconv.Itoa(s.version)
	o["metadata"] = meta
	s.objects[path] = o
}

// Restore puts an object back as it once was, as the restore of a backup does.
func (s *Server) Restore(path string, o map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[path] = o
}

// Touch gives the object at path a new resourceVersion, as another writer does.
func (s *Server) Touch(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := maps.Clone(s.objects[path])
	meta := maps.Clone(o["metadata"].(map[string]any))
	s.version++
	meta["resourceVersion"] = strconv.Itoa(s.version)
	o["metadata"] = meta
	s.objects[path] = o
}

// Delete removes the object at path.
func (s *Server) Delete(path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.objects, path)
}

// Object is the object at path, nil if there is none. It must not be changed.
func (s *Server) Object(path string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[path]
}

// Requests counts requests by method.
func (s *Server) Requests(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[method]
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.Before != nil && !s.Before(r) {
		panic(http.ErrAbortHandler)
	}
	code, answer := s.answer(r)
	if s.After != nil && !s.After(r) {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *Server) answer(r *http.Request) (int, map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.requests == nil {
		s.requests = map[string]int{}
	}
	s.requests[r.Method]++
	old, exists := s.objects[r.URL.Path]
	switch {
	case s.Token != "" && r.Header.Get("Authorization") != "Bearer "+s.Token:
		return status(http.StatusUnauthorized, "Unauthorized")
	case r.URL.RawQuery != "":
		return status(http.StatusBadRequest, "agents use no parameters")
	case !exists && r.Method == http.MethodPut:
		// The real one finds its precondition on the uid failed.
		return status(http.StatusConflict, "UID in precondition does not match")
	case !exists:
		return status(http.StatusNotFound, r.URL.Path+" not found")
	case r.Method == http.MethodGet:
		return http.StatusOK, old
	case r.Method != http.MethodPut:
		return status(http.StatusMethodNotAllowed, "agents only get and update")
	}
	var o map[string]any
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		return status(http.StatusBadRequest, err.Error())
	}
	meta, _ := o["metadata"].(map[string]any)
	oldMeta := old["metadata"].(map[string]any)
	if meta["uid"] != oldMeta["uid"] || meta["resourceVersion"] != oldMeta["resourceVersion"] {
		return status(http.StatusConflict, "the object has been modified")
	}
	s.version++
	meta["resourceVersion"] = strconv.Itoa(s.version)
	s.objects[r.URL.Path] = o
	return http.StatusOK, o
}

func status(code int, message string) (int, map[string]any) {
	return code, map[string]any{"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}
}
