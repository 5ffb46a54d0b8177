package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/myuser/db-operator/devcluster/cluster"
	"github.com/myuser/db-operator/devcluster/fault"
	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/volume"
)

func init() {
	verbs["volume"] = verb{
		usage: `volume freeze [-n NAMESPACE] CLAIM
volume thaw [-n NAMESPACE] CLAIM
volume fill [-n NAMESPACE] [--leave SIZE] CLAIM
volume empty [-n NAMESPACE] CLAIM
volume snapshot [-n NAMESPACE] [--power-off] CLAIM NAME
volume rollback [-n NAMESPACE] CLAIM NAME`,
		help: "make a local-xfs volume hang or full; copy what a power failure leaves, and go back to it",
		run:  volumeCommand,
	}
}

func volumeCommand(ctx context.Context, t *tool, args []string) error {
	if len(args) < 2 {
		return errUsage{"say what to do to which claim"}
	}
	flags := newFlags("volume")
	namespace := flags.String("n", "default", "")
	leave := flags.String("leave", "0", "")
	powerOff := flags.Bool("power-off", false, "")
	if err := flags.Parse(args[1:]); err != nil || flags.NArg() == 0 {
		return errUsage{"say which claim"}
	}
	c, err := t.existing()
	if err != nil {
		return err
	}
	disk, err := diskOf(ctx, c, *namespace, flags.Arg(0))
	if err != nil {
		return err
	}
	claim := "volume of claim " + *namespace + "/" + flags.Arg(0)
	snapshot := filepath.Join(c.Plan.Snapshots(), disk.Name, flags.Arg(1)+".img")
	named := flags.NArg() == 2 && filepath.Base(flags.Arg(1)) == flags.Arg(1)
	switch {
	case args[0] == "freeze" && flags.NArg() == 1:
		return t.out.Step(claim+" frozen", disk.Freeze)
	case args[0] == "thaw" && flags.NArg() == 1:
		return t.out.Step(claim+" thawed", disk.Thaw)
	case args[0] == "fill" && flags.NArg() == 1:
		size, err := volume.Bytes(*leave)
		if err != nil {
			return errUsage{err.Error()}
		}
		return t.out.Step(fmt.Sprintf("%s filled but %s", claim, *leave), func() error { return disk.Fill(size) })
	case args[0] == "empty" && flags.NArg() == 1:
		return t.out.Step(claim+" has its free space again", disk.Empty)
	case args[0] == "snapshot" && named:
		return t.out.Step(claim+" copied as a power failure leaves it", func() error {
			if !*powerOff {
				return disk.Snapshot(ctx, snapshot, false)
			}
			// The dying must not send farewells.
			if err := fault.Unplug(ctx, disk.Node); err != nil {
				return err
			}
			if err := disk.Snapshot(ctx, snapshot, true); err != nil {
				return err
			}
			return fault.StopNode(ctx, disk.Node)
		})
	case args[0] == "rollback" && named:
		return t.out.Step(claim+" rolled back", func() error { return disk.Rollback(ctx, snapshot) })
	default:
		return errUsage{"say freeze, thaw, fill, empty, snapshot or rollback"}
	}
}

// diskOf finds the volume that is bound to a claim.
func diskOf(ctx context.Context, c *cluster.Cluster, namespace, name string) (volume.Disk, error) {
	client, err := c.Client("admin")
	if err != nil {
		return volume.Disk{}, err
	}
	var claim kube.Claim
	if err := client.Get(ctx, "/api/v1/namespaces/"+namespace+"/persistentvolumeclaims/"+name, &claim); err != nil {
		return volume.Disk{}, err
	}
	if claim.Spec.VolumeName == "" {
		return volume.Disk{}, fmt.Errorf("claim %s/%s has no volume yet", namespace, name)
	}
	var v kube.Volume
	if err := client.Get(ctx, "/api/v1/persistentvolumes/"+claim.Spec.VolumeName, &v); err != nil {
		return volume.Disk{}, err
	}
	return volume.Controller{Nodes: c.Node}.DiskOf(v)
}
