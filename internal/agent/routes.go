package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/myuser/db-operator/internal/register"
)

// routesTurn keeps the read-write slices as they should be: this pod while it
// leads, nothing once it stops in order.
func (m *member) routesTurn(now time.Time) {
	want := m.wantedRoutes()
	if want == "" || want == m.published || !m.routesLane.free(now) {
		return
	}
	record, endpoint, slices := *m.lead, m.endpoint(), m.slices()
	m.do(&m.routesLane, "publish the endpoint", 0, func(ctx context.Context) (func(), error) {
		for _, slice := range slices {
			err := m.routes.Publish(ctx, slice, record, endpoint)
			if errors.Is(err, register.ErrOutdated) {
				return func() { m.nextRead = time.Time{} }, err // who leads?
			}
			if err != nil {
				return nil, err
			}
		}
		return func() { m.published, m.routed = want, true }, nil
	})
}

// wantedRoutes names what the slices should show; empty if it is not this
// member's to say.
func (m *member) wantedRoutes() string {
	if m.lead == nil || m.mounted == nil {
		return ""
	}
	return fmt.Sprint(m.lead.Term, m.lead.Version, m.slices(), m.endpoint().Addresses)
}

// slices are those of the read-write Service, one for each address family.
func (m *member) slices() []string {
	names := []string{m.mounted.Spec.Endpoints.ReadWrite}
	if second := m.mounted.Spec.Endpoints.ReadWriteV6; second != "" {
		names = append(names, second)
	}
	return names
}

func (m *member) endpoint() register.Endpoint {
	e := register.Endpoint{Namespace: m.o.Namespace, Pod: m.o.Pod, Node: m.o.Node, Addresses: m.o.IPs}
	if m.stopping {
		e.Addresses = nil
	}
	return e
}

// withdrawn tells whether clients are no longer sent here.
func (m *member) withdrawn() bool {
	return m.lead == nil || m.published == m.wantedRoutes() && m.routesLane.job == ""
}

var _ publisher = register.Endpoints{}
