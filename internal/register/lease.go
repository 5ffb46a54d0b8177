package register

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/pod"
)

// Lease is the register in a coordination.k8s.io/v1 Lease. It only reads and
// updates; the operator creates the object.
type Lease struct {
	client *Client
	path   string
	holder string
}

var _ Register = (*Lease)(nil)

// NewLease is the register in the named Lease. holder is the pod whose member
// is the leader in every record with a leader that is written through it.
func NewLease(client *Client, namespace, name, holder string) *Lease {
	return &Lease{
		client: client,
		path:   fmt.Sprintf("/apis/coordination.k8s.io/v1/namespaces/%s/leases/%s", url.PathEscape(namespace), url.PathEscape(name)),
		holder: holder,
	}
}

// Read implements Register.
func (l *Lease) Read(ctx context.Context) (State, error) {
	content, err := l.client.get(ctx, l.path)
	if err != nil {
		return State{}, fmt.Errorf("reading the register: %w", classify(err))
	}
	return l.state(content)
}

// Write implements Register.
func (l *Lease) Write(ctx context.Context, record ha.Record, base Base) (State, error) {
	lease, err := parseObject(base.content)
	if err != nil {
		return State{}, fmt.Errorf("writing the register: reading its base: %w", err)
	}
	annotations := lease.annotations()
	annotations[pod.RecordAnnotation] = record.Encode()
	delete(annotations, pod.BootstrapAnnotation)
	delete(lease.child("metadata"), "managedFields") // absent means unchanged
	spec := lease.child("spec")
	spec["leaseTransitions"] = record.Term
	delete(spec, "holderIdentity")
	if record.Leader != "" {
		spec["holderIdentity"] = l.holder
	}
	body, err := lease.encode()
	if err != nil {
		return State{}, fmt.Errorf("writing the register: %w", err)
	}
	content, err := l.client.put(ctx, l.path, body)
	if err != nil {
		return State{}, fmt.Errorf("writing the register: %w", classify(err))
	}
	return l.state(content)
}

// state reads an answer. Whether the register was turned back, as by the restore
// of a backup, is told by its record alone: after a restore resource versions
// stay below those seen before.
func (l *Lease) state(content []byte) (State, error) {
	lease, err := parseObject(content)
	if err != nil || lease.uid() == "" || lease.version() == "" {
		return State{}, fmt.Errorf("reading the register: the answer is no Lease: %w", ErrUnknown)
	}
	annotations := lease.annotations()
	state := State{
		Bootstrap: annotations.text(pod.BootstrapAnnotation),
		Base:      Base{UID: lease.uid(), Version: lease.version(), content: content},
	}
	text := annotations.text(pod.RecordAnnotation)
	if text == "" {
		return state, nil
	}
	record, err := ha.ParseRecord(text)
	if err != nil {
		state.Problem = err
		return state, nil
	}
	state.Record = &record
	return state, nil
}

// classify keeps apart the two answers that say something about the register.
func classify(err error) error {
	var answer *answerError
	if errors.As(err, &answer) {
		switch answer.Code {
		case http.StatusNotFound:
			return fmt.Errorf("%w: %w", ErrAbsent, err)
		case http.StatusConflict:
			return fmt.Errorf("%w: %w", ErrConflict, err)
		}
	}
	return fmt.Errorf("%w: %w", ErrUnknown, err)
}
