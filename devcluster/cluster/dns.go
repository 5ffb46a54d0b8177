package cluster

import (
	"context"
	"fmt"
	"net"

	"github.com/myuser/db-operator/devcluster/plan"
)

// awaitDNS waits until the cluster's DNS answers with the API server's Service
// address.
func awaitDNS(ctx context.Context) error {
	resolver := net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			var dialer net.Dialer
			return dialer.DialContext(ctx, network, net.JoinHostPort(plan.HostIPv4, "53"))
		},
	}
	return await(ctx, "DNS to answer", func(ctx context.Context) error {
		addresses, err := resolver.LookupHost(ctx, "kubernetes.default.svc."+plan.Domain+".")
		if err != nil {
			return err
		}
		if len(addresses) != 1 || addresses[0] != plan.APIServiceIP {
			return fmt.Errorf("DNS answers %v instead of %s", addresses, plan.APIServiceIP)
		}
		return nil
	})
}
