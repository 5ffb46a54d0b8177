//go:build cluster

package clustertest

import (
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestVolumeGrowsWhileItIsUsed(t *testing.T) {
	w := newWriter(t, "grow", "node1")
	w.kubectl("patch", "pvc", w.name+"-xfs", "-p", `{"spec":{"resources":{"requests":{"storage":"600Mi"}}}}`)
	eventually(t, "the claim to have 600Mi", func() error {
		if got := w.kubectl("get", "pvc", w.name+"-xfs", "-o", "jsonpath={.status.capacity.storage}"); got != "600Mi" {
			return fmt.Errorf("capacity %s", got)
		}
		return nil
	})
	free := w.kubectl("exec", w.name, "--", "df", "--output=size", "-m", "/xfs")
	fields := strings.Fields(free)
	if size, err := strconv.Atoi(fields[len(fields)-1]); err != nil || size < 450 {
		t.Errorf("the file system has %s MiB after growing to 600", fields[len(fields)-1])
	}
}

func TestNodePowerCycleKeepsSyncedData(t *testing.T) {
	w := newWriter(t, "power", "node2")
	run(t, "node", "stop", "node2")
	before := len(w.lines("dir"))
	if _, err := net.DialTimeout("tcp", "10.88.0.12:10250", 300*time.Millisecond); err == nil {
		t.Error("kubelet of a node without power answers")
	}
	run(t, "node", "start", "node2")
	w.awaitWriting()
	if after := len(w.lines("dir")); after <= before {
		t.Errorf("%d lines before the power failure, %d after", before, after)
	}
}

func TestCutNodeIsUnreachableOnlyWhereItWasCut(t *testing.T) {
	reach := func(from, to string) bool {
		command := exec.Command("nsenter", "--net=/var/lib/devcluster/netns/"+from, "timeout", "0.5",
			"bash", "-c", "exec 3<>/dev/tcp/"+to)
		return command.Run() == nil
	}
	cases := map[string]struct {
		from         string
		api, peer    bool
		peerOfOthers bool
	}{
		"cut from all":       {"all", false, false, true},
		"cut from the API":   {"api", false, true, true},
		"cut from its peers": {"peers", true, false, true},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			t.Cleanup(func() { run(t, "node", "heal", "node3") })
			run(t, "node", "cut", "node3", "--from", tt.from)
			if got := reach("node3", "10.88.0.1/6443"); got != tt.api {
				t.Errorf("node3 reaches the API server: %t", got)
			}
			if got := reach("node1", "10.88.0.13/10250"); got != tt.peer {
				t.Errorf("node1 reaches node3: %t", got)
			}
			if got := reach("node1", "10.88.0.12/10250"); got != tt.peerOfOthers {
				t.Errorf("node1 reaches node2: %t", got)
			}
		})
	}
}

func TestOneWayCutAndLossProveThemselves(t *testing.T) {
	t.Cleanup(func() { run(t, "node", "heal", "node3") })
	run(t, "node", "cut", "node3", "--direction", "in")
	run(t, "node", "cut", "node3", "--direction", "out", "--from", "node1,api")
	run(t, "node", "heal", "node3")
	run(t, "node", "loss", "node3", "30")
	run(t, "node", "loss", "node3", "5", "--direction", "out")
}

func TestFrozenPodWritesNothingUntilTheThaw(t *testing.T) {
	w := newWriter(t, "hang", "node1")
	run(t, "pod", "freeze", "-n", w.namespace, w.name)
	w.expectSilence(0)
	run(t, "pod", "thaw", "-n", w.namespace, w.name)
	w.awaitWriting()
}

func TestKilledProgramIsRestarted(t *testing.T) {
	w := newWriter(t, "kill", "node1")
	run(t, "pod", "kill", "-n", w.namespace, w.name, "bash")
	eventually(t, "the container to be restarted", func() error {
		if got := w.kubectl("get", "pod", w.name, "-o", "jsonpath={.status.containerStatuses[0].restartCount}"); got != "1" {
			return fmt.Errorf("%s restarts", got)
		}
		return nil
	})
}

func TestFrozenVolumeHangsItsWriter(t *testing.T) {
	w := newWriter(t, "fsync", "node1")
	run(t, "volume", "freeze", "-n", w.namespace, w.name+"-xfs")
	// The write that was under way may be one line of the other volume.
	w.expectSilence(1)
	run(t, "volume", "thaw", "-n", w.namespace, w.name+"-xfs")
	w.awaitWriting()
}

func TestFullVolumeTakesNoDataUntilItIsEmptied(t *testing.T) {
	w := newWriter(t, "full", "node1")
	run(t, "volume", "fill", "-n", w.namespace, w.name+"-xfs")
	if out, err := w.try("exec", w.name, "--", "dd", "if=/dev/zero", "of=/xfs/more", "bs=1M", "count=1", "conv=fsync"); err == nil {
		t.Errorf("a full volume took a megabyte: %s", out)
	}
	run(t, "volume", "empty", "-n", w.namespace, w.name+"-xfs")
	if out, err := w.try("exec", w.name, "--", "dd", "if=/dev/zero", "of=/xfs/more", "bs=1M", "count=1", "conv=fsync"); err != nil {
		t.Errorf("an emptied volume takes no data: %s", out)
	}
}

func TestPowerFailureLosesWhatWasNotSynced(t *testing.T) {
	w := newWriter(t, "torn", "node2")
	w.kubectl("exec", w.name, "--", "bash", "-c", "echo synced > /xfs/synced; sync /xfs/synced; echo not > /xfs/unsynced")
	run(t, "volume", "snapshot", "-n", w.namespace, "--power-off", w.name+"-xfs", "cut")
	run(t, "volume", "rollback", "-n", w.namespace, w.name+"-xfs", "cut")
	run(t, "node", "start", "node2")
	w.awaitWriting()
	if got := w.kubectl("exec", w.name, "--", "cat", "/xfs/synced"); got != "synced" {
		t.Errorf("the synced file holds %q", got)
	}
	if got, _ := w.try("exec", w.name, "--", "cat", "/xfs/unsynced"); got == "not" {
		t.Error("data that was never synced survived")
	}
}

func TestClusterRunsOnWithoutTheAPIServer(t *testing.T) {
	w := newWriter(t, "headless", "node1")
	t.Cleanup(func() { run(t, "apiserver", "start") })
	run(t, "apiserver", "stop")
	before := w.count()
	eventually(t, "the pod to write on", func() error {
		if w.count() == before {
			return fmt.Errorf("no new line")
		}
		return nil
	})
	run(t, "apiserver", "start")
	w.awaitWriting()
}

func TestDrainedNodeIsEmpty(t *testing.T) {
	t.Cleanup(func() { run(t, "node", "uncordon", "node3") })
	namespace := newNamespace(t, "drain")
	apply(t, `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d","namespace":"`+namespace+`"},"spec":{"replicas":3,`+
		`"selector":{"matchLabels":{"app":"d"}},"template":{"metadata":{"labels":{"app":"d"}},"spec":{"terminationGracePeriodSeconds":1,`+
		`"containers":[{"name":"c","image":"`+image+`","command":["sleep","3600"]}]}}}}`)
	kubectl(t, "rollout", "status", "deployment/d", "-n", namespace, "--timeout=60s")
	run(t, "node", "drain", "node3")
	if got := kubectl(t, "get", "pods", "-n", namespace, "--field-selector=spec.nodeName=node3", "-o", "name"); got != "" {
		t.Errorf("pods on a drained node: %s", got)
	}
}

func TestServicesWorkOverBothFamilies(t *testing.T) {
	namespace := newNamespace(t, "dual")
	kubectl(t, "run", "server", "-n", namespace, "--image="+image, "--labels=app=server", "--command", "--",
		"perl", "-e", `use Socket; socket(S,PF_INET6,SOCK_STREAM,0); setsockopt(S,SOL_SOCKET,SO_REUSEADDR,1); `+
			`bind(S,pack_sockaddr_in6(8080,Socket::IN6ADDR_ANY)) or die; listen(S,9); while(accept(C,S)){print C "hello\n"; close C}`)
	kubectl(t, "wait", "-n", namespace, "--for=condition=Ready", "pod/server", "--timeout=30s")
	service := `{"apiVersion":"v1","kind":"Service","metadata":{"name":"s","namespace":"` + namespace + `"},"spec":{` +
		`"ipFamilyPolicy":"RequireDualStack","selector":{"app":"server"},"ports":[{"port":80,"targetPort":8080}]}}`
	apply(t, service)
	var object struct{ Spec struct{ ClusterIPs []string } }
	if err := json.Unmarshal([]byte(kubectl(t, "get", "service", "s", "-n", namespace, "-o", "json")), &object); err != nil {
		t.Fatal(err)
	}
	if len(object.Spec.ClusterIPs) != 2 {
		t.Fatalf("Service addresses %v", object.Spec.ClusterIPs)
	}
	for _, address := range append(object.Spec.ClusterIPs, "s."+namespace+".svc.cluster.local") {
		for _, node := range []string{"node1", "node2"} {
			eventually(t, "an answer from "+address+" at "+node, func() error {
				out, err := try(t, "run", "client", "-n", namespace, "--image="+image, "--restart=Never", "--rm", "-i", "--quiet",
					`--overrides={"spec":{"terminationGracePeriodSeconds":0,"nodeSelector":{"kubernetes.io/hostname":"`+node+`"}}}`,
					"--command", "--", "timeout", "3", "bash", "-c", "exec 3<>/dev/tcp/"+address+"/80; cat <&3")
				if err != nil || !strings.Contains(out, "hello") {
					return fmt.Errorf("%w: %s", err, out)
				}
				return nil
			})
		}
	}
}
