package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/myuser/db-operator/internal/register"
)

// route is one EndpointSlice and the address that belongs into it.
type route struct{ slice, address string }

// routesTurn keeps the read-write slices as they should be: this pod while it
// leads, nothing once it stops in order.
func (m *member) routesTurn(now time.Time) {
	want := m.wantedRoutes()
	if m.lead == nil || m.mounted == nil || want == m.published || !m.routesLane.free(now) {
		return
	}
	record, routes := *m.lead, m.routesNow()
	m.do(&m.routesLane, "publish the endpoint", 0, func(ctx context.Context) (func(), error) {
		for _, r := range routes {
			err := m.routes.Publish(ctx, r.slice, record, m.endpoint(r))
			if errors.Is(err, register.ErrOutdated) {
				return func() { m.nextRead = time.Time{} }, err
			}
			if err != nil {
				return nil, err
			}
		}
		return func() { m.published = want }, nil
	})
}

// wantedRoutes names a state of the slices.
func (m *member) wantedRoutes() string {
	if m.lead == nil || m.mounted == nil {
		return ""
	}
	return fmt.Sprint(m.lead.Term, m.lead.Version, m.routesNow())
}

func (m *member) routesNow() []route {
	names := m.mounted.Spec.Endpoints
	routes := []route{{names.ReadWrite, m.o.address(false)}, {names.ReadWriteV6, m.o.address(true)}}
	if single := names.ReadWriteV6 == ""; single && m.o.address(false) == "" {
		routes[0].address = m.o.address(true) // a cluster of IPv6 only
	}
	var all []route
	for _, r := range routes {
		if r.slice == "" {
			continue
		}
		if m.stopping {
			r.address = ""
		}
		all = append(all, r)
	}
	return all
}

func (m *member) endpoint(r route) register.Endpoint {
	return register.Endpoint{Namespace: m.o.Namespace, Pod: m.o.Pod, Node: m.o.Node, Address: r.address}
}

// withdrawn tells whether clients are no longer sent here.
func (m *member) withdrawn() bool {
	return m.lead == nil || m.published == m.wantedRoutes() && m.routesLane.job == ""
}

var _ publisher = register.Endpoints{}
