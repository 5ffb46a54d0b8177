package main

import (
	"errors"
	"flag"
	"log/slog"
	"os"
	"strconv"
	"strings"
)

// options are the operator's flags.
type options struct {
	namespaces     string
	ownNamespace   string
	agentImage     string
	registry       string
	pullSecrets    string
	clusterDomain  string
	metricsAddress string
	healthAddress  string
	leaderElect    bool
	debug          bool
	runAsUser      optionalID
	runAsGroup     optionalID
}

func newOptions(flags *flag.FlagSet) *options {
	o := &options{}
	flags.StringVar(&o.namespaces, "namespaces", os.Getenv("WATCH_NAMESPACE"),
		"Namespaces whose Databases are looked after, separated by commas; empty for all. Default: $WATCH_NAMESPACE.")
	flags.StringVar(&o.ownNamespace, "own-namespace", os.Getenv("POD_NAMESPACE"),
		"Namespace of the operator, for leader election and image pull secrets. Default: $POD_NAMESPACE, else that of the pod.")
	flags.StringVar(&o.agentImage, "agent-image", os.Getenv("AGENT_IMAGE"),
		"Image that holds the agent, normally the operator's own. Running pods keep theirs until their next rollout. Default: $AGENT_IMAGE.")
	flags.StringVar(&o.registry, "engine-registry", "docker.io",
		"Registry with the engines' stock images, as library/<engine>:<version>.")
	flags.StringVar(&o.pullSecrets, "image-pull-secrets", "",
		"Image pull secrets of the operator's own namespace, separated by commas, that are copied for each Database.")
	flags.StringVar(&o.clusterDomain, "cluster-domain", "cluster.local",
		"DNS domain of the cluster, for the names in certificates.")
	flags.StringVar(&o.metricsAddress, "metrics-bind-address", "",
		"Where metrics are served; 0 turns them off. Default: :8443 over TLS with authentication, or 127.0.0.1:8080 without when --namespaces is set.")
	flags.StringVar(&o.healthAddress, "health-probe-bind-address", ":8081", "Where /healthz and /readyz are served.")
	flags.BoolVar(&o.leaderElect, "leader-elect", true, "Let only one operator be active at a time.")
	flags.BoolVar(&o.debug, "debug", false, "Log details too.")
	flags.Var(&o.runAsUser, "run-as-user",
		"User id under which members run, and the group of their volumes. Default: that of the engine's image, or left to the platform on OpenShift.")
	flags.Var(&o.runAsGroup, "run-as-group", "Primary group id under which members run. Default: the user id.")
	return o
}

func (o *options) validate() error {
	if o.agentImage == "" {
		return errors.New("no agent image: set --agent-image or AGENT_IMAGE to the image that holds the agent")
	}
	if o.runAsGroup.value != nil && o.runAsUser.value == nil {
		return errors.New("--run-as-group without --run-as-user: set both")
	}
	return nil
}

func (o *options) level() slog.Level {
	if o.debug {
		return slog.LevelDebug
	}
	return slog.LevelInfo
}

// optionalID is a numeric id that may be left out.
type optionalID struct{ value *int64 }

func (o *optionalID) String() string {
	if o.value == nil {
		return ""
	}
	return strconv.FormatInt(*o.value, 10)
}

func (o *optionalID) Set(text string) error {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return errors.New("write a number of 0 or more")
	}
	o.value = &id
	return nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

func or(value, fallback string) string {
	if value == "" {
		return fallback
	}
	return value
}
