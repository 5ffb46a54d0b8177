package volume

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/plan"
)

const (
	claimsPath  = "/api/v1/persistentvolumeclaims"
	volumesPath = "/api/v1/persistentvolumes"

	selectedNode  = "volume.kubernetes.io/selected-node"
	provisionedBy = "pv.kubernetes.io/provisioned-by"

	// retryInterval is how soon a failed step or a broken watch is tried again.
	retryInterval = time.Second
)

type object = map[string]any

// Controller is the provisioner and resizer of both classes.
type Controller struct {
	API   *kube.Client
	Nodes func(name string) (plan.Node, error)
	Log   *slog.Logger
}

// Run keeps volumes as claims ask for until ctx ends. Every change of a claim
// or volume leads to one look at all of them, so nothing depends on events.
func (c Controller) Run(ctx context.Context) {
	changed := make(chan struct{}, 1)
	notify := func() {
		select {
		case changed <- struct{}{}:
		default: // a look is due already
		}
	}
	var watches sync.WaitGroup
	for _, path := range []string{claimsPath, volumesPath} {
		watches.Go(func() { c.watch(ctx, path, notify) })
	}
	retry := time.NewTicker(retryInterval)
	defer retry.Stop()
	failed := false
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-changed:
			failed = !c.look(ctx)
		case <-retry.C:
			if failed {
				failed = !c.look(ctx)
			}
		}
	}
	watches.Wait()
}

func (c Controller) watch(ctx context.Context, path string, notify func()) {
	for ctx.Err() == nil {
		err := c.API.Watch(ctx, path, "", func(event kube.Event) error {
			if event.Type != "BOOKMARK" {
				notify()
			}
			return nil
		})
		if err != nil && ctx.Err() == nil {
			c.Log.Warn("watch ended", "path", path, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
		notify()
	}
}

// look brings all volumes to what their claims ask for, and reports whether
// nothing is left to do.
func (c Controller) look(ctx context.Context) bool {
	var claims kube.List[kube.Claim]
	var volumes kube.List[kube.Volume]
	if err := c.API.Get(ctx, claimsPath, &claims); err != nil {
		c.Log.Warn("listing claims", "error", err)
		return false
	}
	if err := c.API.Get(ctx, volumesPath, &volumes); err != nil {
		c.Log.Warn("listing volumes", "error", err)
		return false
	}
	byName := map[string]kube.Volume{}
	good := true
	report := func(what, name string, err error) {
		if err != nil {
			good = false
			c.Log.Error(what, "name", name, "error", err)
		}
	}
	for _, v := range volumes.Items {
		byName[v.Metadata.Name] = v
		if v.Metadata.Annotations[provisionedBy] != Provisioner {
			continue
		}
		if v.Status.Phase == "Released" && v.Spec.ReclaimPolicy == "Delete" {
			report("removing a volume", v.Metadata.Name, c.remove(ctx, v))
		} else {
			report("mounting a volume", v.Metadata.Name, c.mount(ctx, v))
		}
	}
	for _, claim := range claims.Items {
		if !ours(claim) || claim.Metadata.DeletionTimestamp != nil {
			continue
		}
		bound, isBound := byName[claim.Spec.VolumeName]
		switch {
		case claim.Spec.VolumeName == "" && claim.Metadata.Annotations[selectedNode] != "":
			if _, exists := byName[volumeName(claim)]; !exists {
				report("provisioning a volume", claim.Metadata.Name, c.provision(ctx, claim))
			}
		case isBound && claim.Spec.StorageClassName == LocalXFS && claim.Status.Phase == "Bound":
			report("growing a volume", claim.Metadata.Name, c.grow(ctx, claim, bound))
		}
	}
	return good
}

func ours(claim kube.Claim) bool {
	return claim.Spec.StorageClassName == Local || claim.Spec.StorageClassName == LocalXFS
}

func volumeName(claim kube.Claim) string { return "pvc-" + claim.Metadata.UID }

func (c Controller) provision(ctx context.Context, claim kube.Claim) error {
	if claim.Spec.VolumeMode == "Block" {
		return fmt.Errorf("block volumes are not supported")
	}
	node, err := c.Nodes(claim.Metadata.Annotations[selectedNode])
	if err != nil {
		return err
	}
	wanted := claim.Spec.Resources.Requests["storage"]
	size, err := Bytes(wanted)
	if err != nil {
		return err
	}
	disk := Disk{Node: node, Name: volumeName(claim), Class: claim.Spec.StorageClassName}
	real, err := disk.Create(ctx, size)
	if err != nil {
		return err
	}
	if real != size {
		wanted = strconv.FormatInt(real, 10)
	}
	err = c.API.Create(ctx, volumesPath, manifest(disk, claim, wanted), nil)
	if err != nil && !kube.IsCode(err, http.StatusConflict) {
		return fmt.Errorf("creating the volume: %w", err)
	}
	c.Log.Info("provisioned", "volume", disk.Name, "claim", claim.Metadata.Namespace+"/"+claim.Metadata.Name, "node", node.Name(), "class", disk.Class)
	return nil
}

func manifest(disk Disk, claim kube.Claim, size string) object {
	return object{
		"apiVersion": "v1", "kind": "PersistentVolume",
		"metadata": object{"name": disk.Name, "annotations": object{provisionedBy: Provisioner}},
		"spec": object{
			"capacity":                      object{"storage": size},
			"accessModes":                   claim.Spec.AccessModes,
			"persistentVolumeReclaimPolicy": "Delete",
			"storageClassName":              disk.Class,
			"volumeMode":                    "Filesystem",
			"claimRef": object{
				"apiVersion": "v1", "kind": "PersistentVolumeClaim",
				"namespace": claim.Metadata.Namespace, "name": claim.Metadata.Name, "uid": claim.Metadata.UID,
			},
			"local": object{"path": disk.Path()},
			"nodeAffinity": object{"required": object{"nodeSelectorTerms": []object{{
				"matchExpressions": []object{{
					"key": "kubernetes.io/hostname", "operator": "In", "values": []string{disk.Node.Name()},
				}},
			}}}},
		},
	}
}

// DiskOf finds the disk behind a PersistentVolume: its path names the node.
func (c Controller) DiskOf(v kube.Volume) (Disk, error) {
	if v.Spec.Local == nil {
		return Disk{}, fmt.Errorf("volume %s is none of ours", v.Metadata.Name)
	}
	// NODE/volumes/NAME
	node, err := c.Nodes(filepath.Base(filepath.Dir(filepath.Dir(v.Spec.Local.Path))))
	if err != nil {
		return Disk{}, err
	}
	return Disk{Node: node, Name: v.Metadata.Name, Class: v.Spec.StorageClassName}, nil
}

func (c Controller) remove(ctx context.Context, v kube.Volume) error {
	disk, err := c.DiskOf(v)
	if err != nil {
		return err
	}
	if err := disk.Remove(); err != nil {
		return err
	}
	if err := c.API.Delete(ctx, volumesPath+"/"+v.Metadata.Name); err != nil {
		return err
	}
	c.Log.Info("removed", "volume", v.Metadata.Name)
	return nil
}

// mount repairs what a restart of the machine undid.
func (c Controller) mount(ctx context.Context, v kube.Volume) error {
	disk, err := c.DiskOf(v)
	if err != nil {
		return err
	}
	return disk.Mount(ctx)
}

func (c Controller) grow(ctx context.Context, claim kube.Claim, v kube.Volume) error {
	wanted := claim.Spec.Resources.Requests["storage"]
	want, err := Bytes(wanted)
	if err != nil {
		return err
	}
	have, err := Bytes(v.Spec.Capacity["storage"])
	if err != nil {
		return err
	}
	told, err := Bytes(claim.Status.Capacity["storage"])
	if err != nil {
		return err
	}
	if want <= have && have <= told {
		return nil
	}
	if want > have {
		disk, err := c.DiskOf(v)
		if err != nil {
			return err
		}
		if err := disk.Grow(ctx, want); err != nil {
			return err
		}
		capacity := object{"spec": object{"capacity": object{"storage": wanted}}}
		if err := c.API.Merge(ctx, volumesPath+"/"+v.Metadata.Name, capacity); err != nil {
			return err
		}
		c.Log.Info("grown", "volume", v.Metadata.Name, "from", v.Spec.Capacity["storage"], "to", wanted)
	} else {
		wanted = v.Spec.Capacity["storage"]
	}
	path := "/api/v1/namespaces/" + claim.Metadata.Namespace + "/persistentvolumeclaims/" + claim.Metadata.Name + "/status"
	return c.API.Merge(ctx, path, object{"status": object{"capacity": object{"storage": wanted}, "conditions": nil}})
}
