package kube

import (
	"bytes"
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/client-go/applyconfigurations"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// FieldManager is the name under which the operator's fields are recorded.
const FieldManager = "db-operator"

// identity is what every apply configuration carries and no manager owns.
var identity = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"),
	fieldpath.MakePathOrDie("kind"),
	fieldpath.MakePathOrDie("metadata", "name"),
	fieldpath.MakePathOrDie("metadata", "namespace"),
	fieldpath.MakePathOrDie("metadata", "uid"),
)

// Writer applies objects of the kinds that a scheme knows.
type Writer struct {
	client client.Client
	types  managedfields.TypeConverter
}

// NewWriter writes through c.
func NewWriter(c client.Client) *Writer {
	return &Writer{client: c, types: applyconfigurations.NewTypeConverter(c.Scheme())}
}

// Apply makes the fields of desired so, and removes those that an earlier
// desired set and this one does not. live is the object as last observed, nil
// if there is none. It sends nothing if live is already so, and tells whether
// it sent. After a request, desired holds the API server's answer.
func (w *Writer) Apply(ctx context.Context, live client.Object, desired runtime.ApplyConfiguration) (bool, error) {
	if live != nil {
		same, err := w.same(live, desired)
		if err != nil {
			return false, fmt.Errorf("comparing %s: %w", live.GetName(), err)
		}
		if same {
			return false, nil
		}
	}
	// Ownership is forced: our fields are ours, and who edits them by hand
	// should edit the Database instead.
	if err := w.client.Apply(ctx, desired, client.FieldOwner(FieldManager), client.ForceOwnership); err != nil {
		return false, fmt.Errorf("applying: %w", err)
	}
	return true, nil
}

func (w *Writer) same(live client.Object, desired runtime.ApplyConfiguration) (bool, error) {
	wanted, err := w.typed(desired)
	if err != nil {
		return false, err
	}
	fields, err := wanted.ToFieldSet()
	if err != nil {
		return false, err
	}
	gvk, err := apiutil.GVKForObject(live, w.client.Scheme())
	if err != nil {
		return false, err
	}
	live.GetObjectKind().SetGroupVersionKind(gvk) // reads through the API server leave it out
	whole, err := w.types.ObjectToTyped(live)
	if err != nil {
		return false, err
	}
	ours, _, err := managed(live)
	if err != nil {
		return false, err
	}
	owned := whole.ExtractItems(ours.Union(identity.Intersection(fields)).Leaves())
	difference, err := owned.Compare(wanted)
	if err != nil {
		return false, err
	}
	return difference.IsSame(), nil
}

func (w *Writer) typed(desired runtime.ApplyConfiguration) (*typed.TypedValue, error) {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(desired)
	if err != nil {
		return nil, err
	}
	return w.types.ObjectToTyped(&unstructured.Unstructured{Object: content})
}

// TakenOver tells whether somebody else has set a field of live that desired
// sets too, and we no longer own: a manual edit of what is ours.
func (w *Writer) TakenOver(live client.Object, desired runtime.ApplyConfiguration) (bool, error) {
	wanted, err := w.typed(desired)
	if err != nil {
		return false, fmt.Errorf("comparing %s: %w", live.GetName(), err)
	}
	set, err := wanted.RemoveItems(identity).ToFieldSet()
	if err != nil {
		return false, fmt.Errorf("comparing %s: %w", live.GetName(), err)
	}
	ours, theirs, err := managed(live)
	if err != nil {
		return false, fmt.Errorf("comparing %s: %w", live.GetName(), err)
	}
	return !set.Leaves().Intersection(theirs.Leaves()).Difference(ours.Leaves()).Empty(), nil
}

// managed are the fields of live that we have applied, and those that anybody
// else has set.
func managed(live client.Object) (ours, theirs *fieldpath.Set, err error) {
	ours, theirs = fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range live.GetManagedFields() {
		if entry.Subresource != "" || entry.FieldsV1 == nil {
			continue
		}
		fields := fieldpath.NewSet()
		if err := fields.FromJSON(bytes.NewReader(entry.FieldsV1.GetRawBytes())); err != nil {
			return nil, nil, fmt.Errorf("reading managed fields: %w", err)
		}
		if entry.Manager == FieldManager && entry.Operation == metav1.ManagedFieldsOperationApply {
			ours = ours.Union(fields)
		} else {
			theirs = theirs.Union(fields)
		}
	}
	return ours, theirs, nil
}
