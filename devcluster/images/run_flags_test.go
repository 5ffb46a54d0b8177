package images

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseRun(t *testing.T) {
	for name, test := range map[string]struct {
		args    []string
		want    RunOptions
		wantErr bool
	}{
		"all of it": {
			args: []string{
				"--user", "999:999", "--bind", "/a/b:/c:ro", "--bind", "rel:/d", "--memory", "1g", "--env", "A=b=c",
				"--tmpfs-size", "/small=96m", "--workdir", "/w", "--network", "host", "postgres:17", "--", "/t", "-test.v", "--", "x",
			},
			want: RunOptions{
				Image: "postgres:17", User: "999:999", WorkingDir: "/w", Env: []string{"A=b=c"}, Memory: 1 << 30, HostNetwork: true,
				Binds: []Bind{{Source: "/a/b", Target: "/c", ReadOnly: true}, {Source: "rel", Target: "/d"}},
				Tmpfs: map[string]string{"/small": "96m"}, Command: []string{"/t", "-test.v", "--", "x"},
			},
		},
		"an image alone": {
			args: []string{"postgres:17"},
			want: RunOptions{Image: "postgres:17", Tmpfs: map[string]string{}, Command: []string{}},
		},
		"no image":                       {wantErr: true},
		"a bind to a relative path":      {args: []string{"--bind", "/a:b", "i"}, wantErr: true},
		"a bind with another option":     {args: []string{"--bind", "/a:/b:rx", "i"}, wantErr: true},
		"a size that is none":            {args: []string{"--tmpfs-size", "/a=big", "i"}, wantErr: true},
		"a network that does not exist":  {args: []string{"--network", "bridge", "i"}, wantErr: true},
		"a setting without a value":      {args: []string{"--env", "A", "i"}, wantErr: true},
		"a memory limit that is no size": {args: []string{"--memory", "-1", "i"}, wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, _, err := parseRun(test.args)
			if test.wantErr {
				if err == nil {
					t.Errorf("accepted: %+v", got)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("unexpected options (-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseBytes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "96m": 96 << 20, "2G": 2 << 30, "3k": 3 << 10,
		"": 0, "0": 0, "-5": 0, "m": 0, "1.5g": 0, "9999999999999999999g": 0, "4611686018427387904g": 0,
	} {
		got, err := parseBytes(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("parseBytes(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

func TestParseUser(t *testing.T) {
	for text, want := range map[string][2]int{
		"": {0, 0}, "999:998": {999, 998}, "1000680000": {1000680000, 0}, "1000680000:0": {1000680000, 0},
	} {
		uid, gid, err := parseUser(text)
		if err != nil || [2]int{uid, gid} != want {
			t.Errorf("parseUser(%q) = %d, %d, %v; want %v", text, uid, gid, err, want)
		}
	}
	for _, text := range []string{"mysql", "1:2:3", "-1", ":1", "1:", "4294967296"} {
		if _, _, err := parseUser(text); err == nil {
			t.Errorf("parseUser(%q) accepted it", text)
		}
	}
}

func TestHomeOf(t *testing.T) {
	passwd := "root:x:0:0:root:/root:/bin/bash\nbroken\npostgres:x:999:999::/var/lib/postgresql:/bin/bash\n"
	for uid, want := range map[int]string{0: "/root", 999: "/var/lib/postgresql", 5: "/"} {
		if got := homeOf(passwd, uid); got != want {
			t.Errorf("homeOf(%d) = %q, want %q", uid, got, want)
		}
	}
}

func TestMergeEnvLaterWins(t *testing.T) {
	got := mergeEnv([]string{"HOME=/", "A=1"}, []string{"B=2", "A=3"}, nil, []string{"HOME=/x"})
	if diff := cmp.Diff([]string{"HOME=/x", "A=3", "B=2"}, got); diff != "" {
		t.Errorf("unexpected environment (-want +got):\n%s", diff)
	}
}

func TestCgroupFor(t *testing.T) {
	v1 := cgroupFor("9:name=systemd:/\n4:cpu,memory:/outer/one\n0::/\n", true)
	if v1.v2 || v1.path[:len("/sys/fs/cgroup/memory/outer/one/devcluster-run-")] != "/sys/fs/cgroup/memory/outer/one/devcluster-run-" {
		t.Errorf("v1: %+v", v1)
	}
	v2 := cgroupFor("0::/user.slice/x\n", false)
	if !v2.v2 || v2.path[:len("/sys/fs/cgroup/devcluster-run-")] != "/sys/fs/cgroup/devcluster-run-" {
		t.Errorf("v2: %+v", v2)
	}
}
