package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"

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
