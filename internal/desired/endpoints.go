package desired

import (
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	"github.com/myuser/db-operator/internal/pod"
)

// endpointsWriter is who writes these slices; the cluster's own controllers
// leave alone what is managed by somebody else.
const endpointsWriter = "agent.db-operator.example.com"

// EndpointSlices are empty ones, two for each address family that the Services
// have. They are created once; then only the agents write them.
func (in Input) EndpointSlices(families []corev1.IPFamily) []*discoveryv1.EndpointSlice {
	var slices []*discoveryv1.EndpointSlice
	for i, family := range families {
		for _, readOnly := range []bool{false, true} {
			slices = append(slices, in.endpointSlice(i, family, readOnly))
		}
	}
	return slices
}

func (in Input) endpointSlice(i int, family corev1.IPFamily, readOnly bool) *discoveryv1.EndpointSlice {
	n := in.names()
	service := n.ReadWrite()
	if readOnly {
		service = n.ReadOnly()
	}
	meta := in.meta(n.EndpointSlice(readOnly, i))
	meta.Labels[discoveryv1.LabelServiceName] = service
	meta.Labels[discoveryv1.LabelManagedBy] = endpointsWriter
	name, protocol, port := pod.EnginePortName, corev1.ProtocolTCP, in.Profile.Port()
	return &discoveryv1.EndpointSlice{
		ObjectMeta:  meta,
		AddressType: discoveryv1.AddressType(family),
		Endpoints:   []discoveryv1.Endpoint{},
		Ports:       []discoveryv1.EndpointPort{{Name: &name, Protocol: &protocol, Port: &port}},
	}
}
