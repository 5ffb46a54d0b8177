package main

import (
	"flag"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/agent"
	"github.com/myuser/db-operator/internal/pod"
	"github.com/myuser/db-operator/internal/register"
)

// parseRun reads flags and the pod's environment. In a pod no flag is needed;
// they are for an agent that a developer runs elsewhere.
func parseRun(args []string) (agent.Options, error) {
	flags := flag.NewFlagSet("agent run", flag.ContinueOnError)
	root := flags.String("root", "/", "`folder` below which the mounts of a pod are looked for")
	api := flags.String("api", net.JoinHostPort("", strconv.Itoa(pod.AgentPort)), "`address` of the HTTPS server")
	metrics := flags.String("metrics", net.JoinHostPort("", strconv.Itoa(pod.MetricsPort)), "`address` of the metrics page")
	server := flags.String("api-server", "", "`URL` of the API server; the pod's own if empty")
	ca := flags.String("api-server-ca", "", "`file` with the API server's CA, if --api-server is set")
	token := flags.String("api-server-token", "", "`file` with a token for the API server, if --api-server is set")
	if err := flags.Parse(args); err != nil {
		return agent.Options{}, err
	}
	if flags.NArg() > 0 {
		return agent.Options{}, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	client := &register.Client{URL: *server, CAFile: *ca, TokenFile: *token}
	if *server == "" {
		var err error
		if client, err = register.InCluster(); err != nil {
			return agent.Options{}, err
		}
	}
	executable, err := os.Executable()
	if err != nil {
		return agent.Options{}, fmt.Errorf("finding this program: %w", err)
	}
	o := agent.Options{
		Pod: os.Getenv(pod.EnvName), Namespace: os.Getenv(pod.EnvNamespace), Node: os.Getenv(pod.EnvNode),
		Version: version, Layout: agent.DefaultLayout(*root), Engines: engines, Client: client,
		Executable: executable, GuardianArgs: []string{"guardian"},
		API: *api, Metrics: *metrics,
	}
	if o.Pod == "" || o.Namespace == "" {
		return agent.Options{}, fmt.Errorf("%s and %s must be set", pod.EnvName, pod.EnvNamespace)
	}
	if o.IPs, err = addresses(os.Getenv(pod.EnvIPs), os.Getenv(pod.EnvIP)); err != nil {
		return agent.Options{}, err
	}
	if o.Memory, err = memory(os.Getenv(pod.EnvMemoryBytes)); err != nil {
		return agent.Options{}, err
	}
	return o, nil
}

// addresses reads the pod's, of both families where it has both.
func addresses(all, one string) ([]netip.Addr, error) {
	if all == "" {
		all = one
	}
	var ips []netip.Addr
	for text := range strings.SplitSeq(all, ",") {
		if text == "" {
			continue
		}
		ip, err := netip.ParseAddr(text)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", pod.EnvIPs, err)
		}
		ips = append(ips, ip)
	}
	return ips, nil
}

func memory(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil || bytes < 0 {
		return 0, fmt.Errorf("reading %s: %q is no number of bytes", pod.EnvMemoryBytes, text)
	}
	return bytes, nil
}
