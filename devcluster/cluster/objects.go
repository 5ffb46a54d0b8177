package cluster

import (
	"context"
	"fmt"
	"strings"

	"github.com/myuser/db-operator/devcluster/kube"
	"github.com/myuser/db-operator/devcluster/plan"
	"github.com/myuser/db-operator/devcluster/volume"
)

// object is a manifest as JSON will have it.
type object = map[string]any

// applyObjects creates what a cluster has from the start: storage classes and
// the Service of the cluster's DNS. It is idempotent.
func (c *Cluster) applyObjects(ctx context.Context, client *kube.Client) error {
	const (
		services = "/api/v1/namespaces/kube-system/services/"
		slices   = "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices/"
		classes  = "/apis/storage.k8s.io/v1/storageclasses/"
	)
	objects := map[string]object{
		services + "kube-dns": dnsService(),
		slices + "kube-dns":   dnsSlice(),
	}
	for _, class := range volume.Classes {
		objects[classes+class.Name] = storageClass(class)
	}
	for path, manifest := range objects {
		err := await(ctx, "the object "+path[strings.LastIndex(path, "/")+1:], func(ctx context.Context) error {
			return client.Apply(ctx, path, manifest)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Port names of the Service and of its slice must be equal.
func dnsPorts() []object {
	return []object{
		{"name": "dns", "port": 53, "protocol": "UDP"},
		{"name": "dns-tcp", "port": 53, "protocol": "TCP"},
	}
}

// dnsService has no selector: DNS runs on the host, so that a node that is
// powered off does not slow every lookup.
func dnsService() object {
	return object{
		"apiVersion": "v1", "kind": "Service",
		"metadata": object{"name": "kube-dns", "namespace": "kube-system"},
		"spec":     object{"clusterIP": plan.DNSServiceIP, "ports": dnsPorts()},
	}
}

func dnsSlice() object {
	return object{
		"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
		"metadata": object{
			"name": "kube-dns", "namespace": "kube-system",
			"labels": object{"kubernetes.io/service-name": "kube-dns", "endpointslice.kubernetes.io/managed-by": kube.Manager},
		},
		"addressType": "IPv4",
		"endpoints":   []object{{"addresses": []string{plan.HostIPv4}, "conditions": object{"ready": true}}},
		"ports":       dnsPorts(),
	}
}

func storageClass(class volume.Class) object {
	return object{
		"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
		"metadata": object{
			"name": class.Name,
			"annotations": object{
				"storageclass.kubernetes.io/is-default-class": fmt.Sprint(class.Default),
			},
		},
		"provisioner":          volume.Provisioner,
		"volumeBindingMode":    "WaitForFirstConsumer",
		"reclaimPolicy":        "Delete",
		"allowVolumeExpansion": class.Expandable,
	}
}
