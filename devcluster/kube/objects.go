package kube

import "time"

// Meta is the part of an object's metadata that devcluster reads.
type Meta struct {
	Name              string            `json:"name,omitempty"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp,omitempty"`
	OwnerReferences   []OwnerReference  `json:"ownerReferences,omitempty"`
}

// OwnerReference names an object's owner.
type OwnerReference struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// List is a collection.
type List[T any] struct {
	Metadata struct {
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Items []T `json:"items"`
}

// Condition is one of an object's conditions.
type Condition struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// Node is a cluster node.
type Node struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Unschedulable bool `json:"unschedulable"`
	} `json:"spec"`
	Status struct {
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// Ready tells whether the node's condition Ready is True.
func (n Node) Ready() bool { return hasCondition(n.Status.Conditions, "Ready") }

// Pod is a pod.
type Pod struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
	Status struct {
		Phase      string      `json:"phase"`
		Conditions []Condition `json:"conditions"`
	} `json:"status"`
}

// Ready tells whether the pod's condition Ready is True.
func (p Pod) Ready() bool { return hasCondition(p.Status.Conditions, "Ready") }

// Claim is a PersistentVolumeClaim.
type Claim struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		StorageClassName string    `json:"storageClassName"`
		VolumeName       string    `json:"volumeName"`
		VolumeMode       string    `json:"volumeMode"`
		AccessModes      []string  `json:"accessModes"`
		Resources        Resources `json:"resources"`
	} `json:"spec"`
	Status struct {
		Phase    string            `json:"phase"`
		Capacity map[string]string `json:"capacity"`
	} `json:"status"`
}

// Resources are what a claim asks for.
type Resources struct {
	Requests map[string]string `json:"requests"`
}

// Volume is a PersistentVolume.
type Volume struct {
	Metadata Meta `json:"metadata"`
	Spec     struct {
		Capacity map[string]string `json:"capacity"`
		ClaimRef *struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
			UID       string `json:"uid"`
		} `json:"claimRef"`
		ReclaimPolicy    string `json:"persistentVolumeReclaimPolicy"`
		StorageClassName string `json:"storageClassName"`
		Local            *struct {
			Path string `json:"path"`
		} `json:"local"`
	} `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

func hasCondition(conditions []Condition, name string) bool {
	for _, c := range conditions {
		if c.Type == name {
			return c.Status == "True"
		}
	}
	return false
}
