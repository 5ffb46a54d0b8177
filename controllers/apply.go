package controllers

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	coreac "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

type secretApply = coreac.SecretApplyConfiguration

// apply writes through kube.Writer, where live objects are interfaces.
func (r *DatabaseReconciler) apply(ctx context.Context, live client.Object, want runtime.ApplyConfiguration) (bool, error) {
	return r.writer.Apply(ctx, live, want)
}

// orNil turns a nil pointer to an object into the nil interface.
func orNil[T any, P interface {
	*T
	client.Object
}](object P) client.Object {
	if object == nil {
		return nil
	}
	return object
}
