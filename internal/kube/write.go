package kube

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Create makes an object that others write from then on. An object of that
// name that is already there is left as it is, which is no error: the caller
// will see whose it is at its next look.
func (w *Writer) Create(ctx context.Context, object client.Object) error {
	err := w.client.Create(ctx, object, client.FieldOwner(FieldManager))
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("creating %s: %w", object.GetName(), err)
	}
	return nil
}

// DeletePod asks for the graceful end of exactly this pod: one that has taken
// its name since is left alone, and so is one that is gone.
func (w *Writer) DeletePod(ctx context.Context, pod *corev1.Pod) error {
	uid := pod.UID
	err := w.client.Delete(ctx, pod, client.Preconditions{UID: &uid})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("deleting pod %s: %w", pod.Name, err)
	}
	return nil
}

// PatchStatus writes the status of after, if it differs from that of before.
// It is sent as the difference: nobody else writes this status, so a stale
// resourceVersion does not matter.
func (w *Writer) PatchStatus(ctx context.Context, before, after client.Object) (bool, error) {
	if equality.Semantic.DeepEqual(before, after) {
		return false, nil
	}
	if err := w.client.Status().Patch(ctx, after, client.MergeFrom(before), client.FieldOwner(FieldManager)); err != nil {
		return false, fmt.Errorf("writing the status of %s: %w", after.GetName(), err)
	}
	return true, nil
}
