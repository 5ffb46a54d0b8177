package kube

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
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

// Merge sends the difference between before and after, in which a list counts
// as one value. It is for what Apply cannot do: to Apply, an entry whose key
// somebody has changed is another entry.
func (w *Writer) Merge(ctx context.Context, before, after client.Object) error {
	if err := w.client.Patch(ctx, after, client.MergeFrom(before), client.FieldOwner(FieldManager)); err != nil {
		return fmt.Errorf("correcting %s: %w", after.GetName(), err)
	}
	return nil
}

// PatchStatus sends the difference between the statuses of before and after:
// nobody else writes it, so a stale resourceVersion does not matter. Of an
// object whose status was never written, whole is true and all is sent: what is
// zero and shown all the same would not differ.
func (w *Writer) PatchStatus(ctx context.Context, before, after client.Object, whole bool) error {
	patch := client.MergeFrom(before)
	if whole {
		patch = wholeStatus{}
	}
	err := w.client.Status().Patch(ctx, after, patch, client.FieldOwner(FieldManager))
	if err != nil && !apierrors.IsNotFound(err) { // gone: nobody reads it any more
		return fmt.Errorf("writing the status of %s: %w", after.GetName(), err)
	}
	return nil
}

// wholeStatus is a merge patch with nothing but the status.
type wholeStatus struct{}

// Type implements client.Patch.
func (wholeStatus) Type() types.PatchType { return types.MergePatchType }

// Data implements client.Patch.
func (wholeStatus) Data(object client.Object) ([]byte, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{"status": content["status"]})
}
