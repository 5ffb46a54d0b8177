package fault

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/myuser/db-operator/devcluster/netns"
	"github.com/myuser/db-operator/devcluster/plan"
)

const (
	// fewProbes show whether packets arrive at all, manyProbes how many.
	fewProbes  = 20
	manyProbes = 2000
	// silence after the last probe means that no more will arrive.
	silence = 100 * time.Millisecond
)

// end is one side of a probe.
type end struct {
	name, ip, netns string
}

func nodeEnd(n plan.Node) end                       { return end{n.Name(), n.IPv4(), n.Netns()} }
func targetEnd(t Target) end                        { return end{t.Name, t.ip, t.netns} }
func (e end) String() string                        { return e.name }
func ends(n plan.Node, t Target) (node, target end) { return nodeEnd(n), targetEnd(t) }

func proveCut(ctx context.Context, n plan.Node, t Target, direction Direction) error {
	node, target := ends(n, t)
	if err := expect(ctx, target, node, direction == Out); err != nil {
		return err
	}
	return expect(ctx, node, target, direction == In)
}

func proveHealed(ctx context.Context, n plan.Node, t Target) error {
	node, target := ends(n, t)
	if err := expect(ctx, target, node, true); err != nil {
		return err
	}
	return expect(ctx, node, target, true)
}

// expect sends a few packets and wants all or none of them to arrive. A few
// tries are allowed: the first packets after a pause wait for address
// resolution, whose queue is short.
func expect(ctx context.Context, from, to end, arrive bool) error {
	const tries = 5
	var got int
	for range tries {
		var err error
		if got, err = probe(ctx, from, to, fewProbes); err != nil {
			return err
		}
		if arrive && got == fewProbes || !arrive && got == 0 {
			return nil
		}
	}
	want := "none"
	if arrive {
		want = "all"
	}
	return fmt.Errorf("of %d probes from %s to %s %d arrived instead of %s", fewProbes, from, to, got, want)
}

// proveLoss accepts five standard deviations around what was asked for.
func proveLoss(ctx context.Context, n plan.Node, percent int, t Target, direction Direction) error {
	node, target := ends(n, t)
	check := func(from, to end, percent int) error {
		got, err := probe(ctx, from, to, manyProbes)
		if err != nil {
			return err
		}
		lost := manyProbes - got
		wanted := manyProbes * percent / 100
		variance := manyProbes * percent * (100 - percent) / 10000
		if off := lost - wanted; off*off > 25*max(variance, 1) {
			return fmt.Errorf("of %d probes from %s to %s %d were lost; %d percent are %d", manyProbes, from, to, lost, percent, wanted)
		}
		return nil
	}
	in, out := percent, percent
	switch direction {
	case In:
		out = 0
	case Out:
		in = 0
	}
	if err := check(target, node, in); err != nil {
		return err
	}
	return check(node, target, out)
}

// probe sends UDP packets from one end to the other and counts those that
// arrive.
func probe(ctx context.Context, from, to end, count int) (int, error) {
	var listener, sender net.PacketConn
	err := netns.Do(to.netns, func() (err error) {
		listener, err = net.ListenPacket("udp4", net.JoinHostPort(to.ip, "0"))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("listening at %s: %w", to, err)
	}
	defer listener.Close()
	err = netns.Do(from.netns, func() (err error) {
		sender, err = net.ListenPacket("udp4", net.JoinHostPort(from.ip, "0"))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("opening a socket at %s: %w", from, err)
	}
	defer sender.Close()

	received := make(chan int)
	go func() {
		arrived, buffer := 0, make([]byte, 16)
		for arrived < count {
			if _, _, err := listener.ReadFrom(buffer); err != nil {
				break // the deadline: no more will come
			}
			arrived++
		}
		received <- arrived
	}()
	for i := range count {
		// A packet that the filter drops on its way out is reported to the
		// sender as an error; it is lost, as it should be.
		_, _ = sender.WriteTo([]byte("probe"), listener.LocalAddr())
		if i%fewProbes == fewProbes-1 && ctx.Err() == nil {
			// Let the reader keep up with its socket's buffer.
			time.Sleep(100 * time.Microsecond)
		}
	}
	if err := listener.SetReadDeadline(time.Now().Add(silence)); err != nil {
		return 0, fmt.Errorf("setting the deadline of a probe: %w", err)
	}
	return <-received, ctx.Err()
}

// dialIn opens connections inside a namespace. Only addresses can be dialled:
// looking up a name would leave the thread that is inside.
func dialIn(namespace string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (connection net.Conn, err error) {
		err = netns.Do(namespace, func() error {
			var dialer net.Dialer
			connection, err = dialer.DialContext(ctx, network, address)
			return err
		})
		return connection, err
	}
}
