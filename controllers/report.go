package controllers

import (
	"context"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	dbv1 "github.com/myuser/db-operator/api/v1"
)

// report writes the status, if it says anything new, and posts what changed.
func (r *DatabaseReconciler) report(ctx context.Context, db *dbv1.Database, status dbv1.DatabaseStatus) error {
	if equality.Semantic.DeepEqual(still(db.Status), still(status)) {
		return nil
	}
	after := db.DeepCopy()
	after.Status = status
	never := db.Status.ObservedGeneration <= 0
	if err := r.writer.PatchStatus(ctx, db, after, never); err != nil {
		return err
	}
	r.written.set(after)
	for _, h := range changes(db.Status.Conditions, status.Conditions) {
		r.emit(db, h)
	}
	return nil
}

// still leaves out what moves all the time: it is refreshed with another
// change only.
func still(status dbv1.DatabaseStatus) dbv1.DatabaseStatus {
	quiet := *status.DeepCopy()
	for i := range quiet.Members {
		quiet.Members[i].Position = ""
	}
	return quiet
}

// writtenStatuses remembers the resourceVersion of the last status written, by
// Database.
type writtenStatuses struct {
	mu       sync.Mutex
	versions map[types.NamespacedName]uint64
}

func (w *writtenStatuses) set(db *dbv1.Database) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.versions == nil {
		w.versions = map[types.NamespacedName]uint64{}
	}
	w.versions[types.NamespacedName{Namespace: db.Namespace, Name: db.Name}] = resourceVersion(db)
}

func (w *writtenStatuses) forget(key types.NamespacedName) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.versions, key)
}

// newer tells whether a status was written since db was read.
func (w *writtenStatuses) newer(db *dbv1.Database) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.versions[types.NamespacedName{Namespace: db.Namespace, Name: db.Name}] > resourceVersion(db)
}

// resourceVersion is a number that grows: Kubernetes says so since 1.35.
func resourceVersion(db *dbv1.Database) uint64 {
	version, err := strconv.ParseUint(db.ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return version
}

// read takes the Database from the cache, and from the API server while the
// cache lags behind our own last write: else that would be done again, and its
// events posted twice.
func (r *DatabaseReconciler) read(ctx context.Context, key types.NamespacedName) (*dbv1.Database, error) {
	db := &dbv1.Database{}
	err := r.Client.Get(ctx, key, db)
	if err == nil && r.written.newer(db) {
		err = r.Live.Get(ctx, key, db)
	}
	return db, err
}
