package cgroup_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/cgroup"
)

// fake is a tree of plain files in place of the kernel's.
type fake struct {
	t    *testing.T
	root string
}

func newFake(t *testing.T, files map[string]string) fake {
	f := fake{t: t, root: t.TempDir()}
	for name, content := range files {
		f.put(name, content)
	}
	return f
}

func (f fake) put(name, content string) {
	f.t.Helper()
	path := filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f fake) get(name string) string {
	content, _ := os.ReadFile(filepath.Join(f.root, name))
	return strings.TrimSpace(string(content))
}

func (f fake) tree() *cgroup.Tree {
	f.t.Helper()
	tree, err := cgroup.Detect(f.root)
	if err != nil {
		f.t.Fatal(err)
	}
	return tree
}

// v1 has two hierarchies with what the kernel puts into each group, a second
// name for one of them, and a v2 hierarchy beside them.
func v1(t *testing.T) fake {
	f := newFake(t, map[string]string{
		"freezer/cgroup.procs": "", "cpuset/cgroup.procs": "",
		"cpuset/cpuset.cpus": "0-1\n", "cpuset/cpuset.mems": "0\n",
		"cpuset/all/cpuset.cpus": "\n", "cpuset/all/cpuset.mems": "\n",
		"cpu,cpuacct/cgroup.procs": "", "cpu,cpuacct/all/cpu.shares": "1024",
		"unified/cgroup.procs": "", "unified/cgroup.controllers": "",
	})
	if err := os.Symlink("cpu,cpuacct", filepath.Join(f.root, "cpu")); err != nil {
		t.Fatal(err)
	}
	return f
}

func v2(t *testing.T) fake {
	return newFake(t, map[string]string{
		"cgroup.controllers": "cpu memory", "cgroup.subtree_control": "", "cgroup.procs": "",
		"all/cgroup.controllers": "cpu", "all/cgroup.subtree_control": "", "all/cgroup.freeze": "0", "all/cgroup.kill": "",
		"all/cgroup.procs": "", "all/cgroup.events": "populated 0\nfrozen 0\n", "all/cpu.weight": "",
		"all/cpu.stat": "usage_usec 1500000\nuser_usec 1\n",
	})
}

func TestVersionIsToldByWhatIsMounted(t *testing.T) {
	if v1(t).tree().V2 {
		t.Error("v1 hierarchies beside a unified one were taken for v2")
	}
	if !v2(t).tree().V2 {
		t.Error("v2 was taken for v1")
	}
	if _, err := cgroup.Detect(t.TempDir()); err == nil {
		t.Error("an empty folder was taken for control groups")
	}
	noFreezer := newFake(t, map[string]string{"cpu/cgroup.procs": ""})
	if _, err := cgroup.Detect(noFreezer.root); err == nil {
		t.Error("v1 without a freezer was accepted")
	}
}

func TestGroupsAreMadeInEveryV1Hierarchy(t *testing.T) {
	f := v1(t)
	if err := f.tree().Create("all/node/sys"); err != nil {
		t.Fatal(err)
	}
	for _, hierarchy := range []string{"freezer", "cpuset", "cpu,cpuacct"} {
		if info, err := os.Stat(filepath.Join(f.root, hierarchy, "all/node/sys")); err != nil || !info.IsDir() {
			t.Errorf("%s lacks the group: %v", hierarchy, err)
		}
	}
	if _, err := os.Stat(filepath.Join(f.root, "unified/all")); err == nil {
		t.Error("the group was made in the unified hierarchy, which is not ours")
	}
	if got := f.get("cpuset/all/cpuset.cpus") + " " + f.get("cpuset/all/cpuset.mems"); got != "0-1 0" {
		t.Errorf("the new cpuset has %q", got)
	}
}

func TestSharesBecomeV2Weights(t *testing.T) {
	f := v1(t)
	if err := f.tree().SetShares("all", 8192); err != nil || f.get("cpu,cpuacct/all/cpu.shares") != "8192" {
		t.Errorf("cpu.shares = %s, %v", f.get("cpu,cpuacct/all/cpu.shares"), err)
	}
	for shares, weight := range map[uint64]string{2: "1", 1024: "39", 8192: "313", 262144: "10000"} {
		f := v2(t)
		if err := f.tree().SetShares("all", shares); err != nil || f.get("all/cpu.weight") != weight {
			t.Errorf("%d shares: cpu.weight = %s, %v; want %s", shares, f.get("all/cpu.weight"), err, weight)
		}
	}
}

func TestV2DelegatesControllersToChildren(t *testing.T) {
	f := v2(t)
	if err := f.tree().Create("all/node"); err != nil {
		t.Fatal(err)
	}
	// Plain files are overwritten from their start by each write.
	if got := f.get("cgroup.subtree_control"); !strings.Contains(got, "+memory") {
		t.Errorf("the root delegates %q", got)
	}
	if got := f.get("all/cgroup.subtree_control"); got != "+cpu" {
		t.Errorf("the group delegates %q", got)
	}
}

func TestV2FreezeWaitsForTheKernel(t *testing.T) {
	f := v2(t)
	tree := f.tree()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := tree.Freeze(ctx, "all"); err == nil {
		t.Error("Freeze returned before the kernel said so")
	}
	if got := f.get("all/cgroup.freeze"); got != "1" {
		t.Errorf("cgroup.freeze = %q", got)
	}
	f.put("all/cgroup.events", "populated 1\nfrozen 1\n")
	if err := tree.Freeze(t.Context(), "all"); err != nil {
		t.Error(err)
	}
	if err := tree.Thaw("all"); err != nil || f.get("all/cgroup.freeze") != "0" {
		t.Errorf("after the thaw cgroup.freeze = %q, %v", f.get("all/cgroup.freeze"), err)
	}
}

func TestV2KillsByTheKernelsSwitch(t *testing.T) {
	f := v2(t)
	if err := f.tree().Kill(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	if got := f.get("all/cgroup.kill"); got != "1" {
		t.Errorf("cgroup.kill = %q", got)
	}
}

func TestProcessesOfAllLevelsAreListed(t *testing.T) {
	f := v2(t)
	f.put("all/cgroup.procs", "10\n11\n")
	f.put("all/node/pod/cgroup.procs", "12\n")
	if diff := cmp.Diff([]int{10, 11, 12}, f.tree().Pids("all")); diff != "" {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
}

func TestGroupsAreFoundByPartOfTheirName(t *testing.T) {
	f := v2(t)
	f.put("all/kubepods/burstable/podabc-1/x/cgroup.procs", "")
	f.put("all/kubepods/podother/cgroup.procs", "")
	want := []string{"all/kubepods/burstable/podabc-1"}
	if diff := cmp.Diff(want, f.tree().Find("all/kubepods", "podabc-1")); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got := f.tree().Find("all/absent", "pod"); got != nil {
		t.Errorf("below an absent group there are %q", got)
	}
}

func TestCPUTimeHasOneUnit(t *testing.T) {
	if got := v2(t).tree().CPUTime("all"); got != 1500*time.Millisecond {
		t.Errorf("v2: %s", got)
	}
	f := v1(t)
	f.put("cpu,cpuacct/all/cpuacct.usage", "2000000000\n")
	if got := f.tree().CPUTime("all"); got != 2*time.Second {
		t.Errorf("v1: %s", got)
	}
}

func TestRemoveTakesAllHierarchies(t *testing.T) {
	f := newFake(t, map[string]string{"freezer/cgroup.procs": "", "unified/cgroup.procs": "", "unified/cgroup.controllers": ""})
	for _, dir := range []string{"freezer/all/node/pod", "unified/all/node"} {
		if err := os.MkdirAll(filepath.Join(f.root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.tree().Remove(t.Context(), "all"); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"freezer/all", "unified/all"} {
		if _, err := os.Stat(filepath.Join(f.root, dir)); err == nil {
			t.Errorf("%s is still there", dir)
		}
	}
}
