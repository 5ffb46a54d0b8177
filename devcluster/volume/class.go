// Package volume makes the volumes of the two storage classes: directories
// (local) and XFS file systems in sparse files (local-xfs). It provisions,
// grows and removes them on behalf of the API server, and makes them fail on
// demand. It knows nothing about what is stored in them.
package volume

// Provisioner is the name in the storage classes.
const Provisioner = "devcluster.local/volumes"

// Names of the storage classes.
const (
	Local    = "local"
	LocalXFS = "local-xfs"
)

// Class is a storage class.
type Class struct {
	Name       string
	Default    bool
	Expandable bool
}

// Classes are all that there are. `local` has no real size, so it neither
// grows nor fills; `local-xfs` does both.
var Classes = []Class{
	{Name: Local, Default: true},
	{Name: LocalXFS, Expandable: true},
}
