package mount_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/mount"
)

const mountinfo = `22 27 0:21 / /proc rw,relatime - proc proc rw
90 27 7:0 / /var/lib/a\040b rw,relatime shared:1 master:2 - xfs /dev/loop0 rw,attr2
broken line
91 27 0:50 / /over rw - overlay overlay rw,lowerdir=/l - x
`

func TestMountsAreRead(t *testing.T) {
	want := []mount.Point{
		{Path: "/proc", FSType: "proc", Source: "proc", Device: "0:21"},
		{Path: "/var/lib/a b", FSType: "xfs", Source: "/dev/loop0", Device: "7:0"},
		{Path: "/over", FSType: "overlay", Source: "overlay", Device: "0:50"},
	}
	if diff := cmp.Diff(want, mount.Parse(mountinfo)); diff != "" {
		t.Errorf("mounts (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(mountinfo)
	f.Add(" - - -\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, point := range mount.Parse(text) {
			if point.Path == "" || point.Device == "" {
				t.Errorf("an empty field in %+v", point)
			}
		}
	})
}
