package main

import (
	"context"
	"fmt"
	"strings"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/myuser/db-operator/config/crd"
)

// checkDefinition refuses to start with a CRD that is older than the operator:
// the API server would drop fields without a word. Where the operator may not
// read it, as with rights in single namespaces only, it takes the user's word.
func checkDefinition(ctx context.Context, config *rest.Config, scheme *runtime.Scheme) error {
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return fmt.Errorf("connecting to the API server: %w", err)
	}
	installed := &apiextensions.CustomResourceDefinition{}
	name := crd.Definition().Name
	err = direct.Get(ctx, client.ObjectKey{Name: name}, installed)
	switch {
	case apierrors.IsForbidden(err):
		ctrl.Log.Info("the definition of the kind Database may not be read, so its age is not checked", "crd", name)
		return nil
	case apierrors.IsNotFound(err):
		return fmt.Errorf("the kind Database is not installed: apply config/crd first")
	case err != nil:
		return fmt.Errorf("reading the definition of the kind Database: %w", err)
	}
	if missing := crd.Missing(installed); len(missing) > 0 {
		return fmt.Errorf("the installed definition of the kind Database is older than this operator: apply config/crd of release %s first; it lacks %s", version, strings.Join(missing, ", "))
	}
	return nil
}

// servesOpenShift tells whether security context constraints choose the uids.
func servesOpenShift(config *rest.Config) (bool, error) {
	api, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return false, fmt.Errorf("connecting to the API server: %w", err)
	}
	_, err = api.ServerResourcesForGroupVersion("security.openshift.io/v1")
	if err != nil && !apierrors.IsNotFound(err) {
		return false, fmt.Errorf("looking for security context constraints: %w", err)
	}
	return err == nil, nil
}
