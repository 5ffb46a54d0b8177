// The operator's entry: flags become options, options a manager with one
// controller. Everything that can be tested lives elsewhere; here it is only
// put together, and the engines are chosen.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"time"

	"github.com/go-logr/logr"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/controllers"
	"github.com/myuser/db-operator/internal/access"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
	"github.com/myuser/db-operator/internal/engine/postgres"
)

// version is set by the linker.
var version = "dev"

// profiles is where an engine is added to the operator.
var profiles = map[dbv1.Engine]engine.Profile{
	dbv1.EngineMySQL:    mysql.Profile{},
	dbv1.EnginePostgres: postgres.Profile{},
}

// Leader election. Long intervals cost few requests; a planned end releases
// the lease, so that only a crash is followed by a wait. Databases do not need
// the operator meanwhile.
const (
	leaseDuration = 137 * time.Second
	renewDeadline = 107 * time.Second
	retryPeriod   = 26 * time.Second
	leaderName    = "db-operator.example.com"
)

// collectAt lets the heap grow by half before it is collected. An operator is
// idle nearly always: memory is what it costs.
const collectAt = 50

func main() {
	o := newOptions(flag.CommandLine)
	flag.Parse()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	handler := slog.NewJSONHandler(os.Stderr, &slog.HandlerOptions{Level: o.level()})
	ctrl.SetLogger(logr.FromSlogHandler(handler))
	klog.SetLogger(logr.FromSlogHandler(handler)) // client-go's own lines in the same form
	if err := run(ctrl.SetupSignalHandler(), o); err != nil {
		slog.New(handler).Error("the operator ends", "reason", err.Error())
		os.Exit(1)
	}
}

// run blocks until ctx ends or the operator cannot go on.
func run(ctx context.Context, o *options) error {
	if err := o.validate(); err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("finding the API server: %w", err)
	}
	config.UserAgent = "db-operator/" + version
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, dbv1.AddToScheme, apiextensions.AddToScheme} {
		if err := add(scheme); err != nil {
			return fmt.Errorf("registering kinds: %w", err)
		}
	}
	if err := checkDefinition(ctx, config, scheme); err != nil {
		return err
	}
	openShift, err := servesOpenShift(config)
	if err != nil {
		return err
	}
	mgr, err := newManager(config, scheme, o)
	if err != nil {
		return err
	}
	reconciler := &controllers.DatabaseReconciler{
		Client:      mgr.GetClient(),
		Live:        mgr.GetAPIReader(),
		Events:      mgr.GetEventRecorder(desired.ManagedBy),
		Agents:      &controllers.AgentClients{Now: time.Now},
		Profiles:    profiles,
		Namespace:   o.ownNamespace,
		PullSecrets: split(o.pullSecrets),
		Now:         time.Now,
		Settings: desired.Settings{
			AgentImage:    o.agentImage,
			Registry:      o.registry,
			ClusterDomain: o.clusterDomain,
			PullSecret:    o.pullSecrets != "",
			OpenShift:     openShift,
			RunAsUser:     o.runAsUser.value,
			RunAsGroup:    o.runAsGroup.value,
		},
	}
	if err := reconciler.SetupWithManager(mgr); err != nil {
		return err
	}
	ctrl.Log.Info("starting", "version", version, "agentImage", o.agentImage, "namespaces", o.namespaces, "openShift", openShift)
	if err := mgr.Start(ctx); err != nil {
		return fmt.Errorf("running: %w", err)
	}
	return nil
}

func newManager(config *rest.Config, scheme *runtime.Scheme, o *options) (manager.Manager, error) {
	lease, renew, retry := leaseDuration, renewDeadline, retryPeriod
	mgr, err := ctrl.NewManager(config, manager.Options{
		Scheme:                        scheme,
		Cache:                         controllers.Caches(split(o.namespaces)),
		Client:                        client.Options{Cache: &client.CacheOptions{DisableFor: controllers.Uncached()}},
		Metrics:                       o.metrics(),
		HealthProbeBindAddress:        o.healthAddress,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              leaderName,
		LeaderElectionNamespace:       o.ownNamespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
	})
	if err != nil {
		return nil, fmt.Errorf("making the manager: %w", err)
	}
	for _, add := range []func(string, healthz.Checker) error{mgr.AddHealthzCheck, mgr.AddReadyzCheck} {
		if err := add("ping", healthz.Ping); err != nil {
			return nil, fmt.Errorf("adding a health check: %w", err)
		}
	}
	return mgr, nil
}

// metrics are served over TLS to whom the API server lets read them. An
// operator of single namespaces may not ask the API server about that, and
// serves them to its own pod only.
func (o *options) metrics() metricsserver.Options {
	if o.namespaces != "" {
		return metricsserver.Options{BindAddress: or(o.metricsAddress, "127.0.0.1:8080")}
	}
	return metricsserver.Options{
		BindAddress:    or(o.metricsAddress, ":8443"),
		SecureServing:  true,
		FilterProvider: access.Metrics,
	}
}
