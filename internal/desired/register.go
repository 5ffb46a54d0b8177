package desired

import (
	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/myuser/db-operator/internal/pod"
)

// Register is an empty one. It is created once; then only the agents write it.
// Only with bootstrap may member 0 put the first record into it: that must be
// false as soon as the Database may have been initialised, or an empty volume
// could take the lead over data that is elsewhere.
func (in Input) Register(bootstrap bool) *coordinationv1.Lease {
	meta := in.meta(in.names().Register())
	if bootstrap {
		meta.Annotations = map[string]string{pod.BootstrapAnnotation: in.names().Pod(0)}
	}
	return &coordinationv1.Lease{ObjectMeta: meta}
}
