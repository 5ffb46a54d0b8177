// Package kubetest is TEST SUPPORT: it gives a test package one real API
// server (etcd and kube-apiserver, no controllers, no nodes) with the kind
// Database installed, RBAC on and Pod Security enforced by namespace labels.
//
// The programs are those of the local cluster, from its cache. Where they are
// missing, tests fail and say what to run: a skipped test proves nothing.
package kubetest
