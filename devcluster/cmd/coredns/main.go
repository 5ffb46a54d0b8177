// Command coredns is CoreDNS with just the plugins that a cluster's DNS needs:
// a fraction of the stock binary's size and build time.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"

	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/cache"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/health"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/loadbalance"
	_ "github.com/coredns/coredns/plugin/metrics"
	_ "github.com/coredns/coredns/plugin/ready"
)

func main() {
	// The order is the order of the plugin chain. It must name exactly the
	// plugins that are imported.
	dnsserver.Directives = []string{
		"bind", "health", "ready", "prometheus", "errors", "loadbalance", "cache", "kubernetes",
	}
	coremain.Run()
}
