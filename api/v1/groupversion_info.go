// Package v1 is the contract with users: the kind Database, its defaults and
// rules as markers from which the CRD is made, and the words of its status.
//
// Once released, the schema is frozen: package managers refuse an upgrade that
// adds a rule, a limit or a default to a field that exists. New optional
// fields are fine. Rules here are therefore neutral to engines; what only one
// engine refuses is said by its profile in a condition.
//
// The package knows no client and no engine beyond the names in Engine. Start
// reading at Database.
//
// +kubebuilder:object:generate=true
// +groupName=example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "example.com", Version: "v1"}

var schemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion, &Database{}, &DatabaseList{})
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
})

// AddToScheme registers the kinds of this package. It is idempotent.
var AddToScheme = schemeBuilder.AddToScheme
