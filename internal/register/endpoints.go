package register

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/pod"
)

// ErrOutdated: the EndpointSlice was written by a leader of a newer record.
var ErrOutdated = errors.New("a newer leader has written the endpoints")

// publishTries bounds how often a lost race for the slice is run again.
const publishTries = 4

// Endpoint is where clients are to be sent.
type Endpoint struct {
	Namespace string
	Pod       string
	Node      string // may be empty
	// Addresses are the pod's, of any family: a slice gets those of its own.
	// None means nowhere.
	Addresses []netip.Addr
}

// Endpoints writes EndpointSlices. It is declared for package agent, whose
// tests have one in memory.
type Endpoints struct{ Client *Client }

// Publish makes the slice show exactly this endpoint, written by the leader of
// record. It never replaces what the leader of a newer record wrote: the error
// is ErrOutdated then. It writes nothing if the slice is so already; ports and
// everything else in it are the operator's. Other errors are those of
// Register.Write.
func (e Endpoints) Publish(ctx context.Context, slice string, record ha.Record, endpoint Endpoint) error {
	path := fmt.Sprintf("/apis/discovery.k8s.io/v1/namespaces/%s/endpointslices/%s",
		url.PathEscape(endpoint.Namespace), url.PathEscape(slice))
	var err error
	for range publishTries {
		if err = e.publish(ctx, path, record, endpoint); !errors.Is(err, ErrConflict) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("writing endpoints %s: %w", slice, err)
	}
	return nil
}

func (e Endpoints) publish(ctx context.Context, path string, record ha.Record, endpoint Endpoint) error {
	content, err := e.Client.get(ctx, path)
	if err != nil {
		return classify(err)
	}
	slice, err := parseObject(content)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	changed, err := edit(slice, record, endpoint)
	if err != nil || !changed {
		return err
	}
	body, err := slice.encode()
	if err != nil {
		return err
	}
	if _, err := e.Client.put(ctx, path, body); err != nil {
		return classify(err)
	}
	return nil
}

// edit is the pure part of Publish.
func edit(slice object, record ha.Record, endpoint Endpoint) (changed bool, err error) {
	term, version := stamp(slice.annotations().text(pod.TermAnnotation))
	if term > record.Term || term == record.Term && version > record.Version {
		return false, fmt.Errorf("%w: theirs is of term %d, version %d", ErrOutdated, term, version)
	}
	before, err := slice.encode()
	if err != nil {
		return false, err
	}
	slice.annotations()[pod.TermAnnotation] = fmt.Sprintf("%d.%d", record.Term, record.Version)
	slice["endpoints"] = endpoint.list(slice.text("addressType"))
	after, err := slice.encode() // keys are sorted, so equal objects have equal texts
	if err != nil {
		return false, err
	}
	delete(slice.child("metadata"), "managedFields")
	return string(before) != string(after), nil
}

// list is the content of a slice of this address type.
func (e Endpoint) list(family string) []any {
	addresses := []any{}
	for _, a := range e.Addresses {
		if a.Is6() == (family == "IPv6") {
			addresses = append(addresses, a.String())
		}
	}
	if len(addresses) == 0 {
		return addresses
	}
	entry := map[string]any{
		"addresses":  addresses[:1],
		"conditions": map[string]any{"ready": true, "serving": true, "terminating": false},
		"targetRef":  map[string]any{"kind": "Pod", "namespace": e.Namespace, "name": e.Pod},
	}
	if e.Node != "" {
		entry["nodeName"] = e.Node
	}
	return []any{entry}
}

// stamp reads "<term>.<version>"; anything else is older than every record.
func stamp(text string) (term, version int64) {
	left, right, _ := strings.Cut(text, ".")
	term, err1 := strconv.ParseInt(left, 10, 64)
	version, err2 := strconv.ParseInt(right, 10, 64)
	if errors.Join(err1, err2) != nil {
		return 0, 0
	}
	return term, version
}
