package fault

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/devcluster/plan"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestCutRulesAreAsInTheGoldenFiles(t *testing.T) {
	peers := plan.Cluster{Dir: "/cluster"}.Nodes(3)
	cases := map[string]struct {
		targets   []Target
		direction Direction
	}{
		"all-both.nft":  {nil, Both},
		"api-in.nft":    {[]Target{API()}, In},
		"peers-out.nft": {[]Target{Peer(peers[1]), Peer(peers[2])}, Out},
	}
	for name, tt := range cases {
		t.Run(name, func(t *testing.T) {
			got := cutRules(tt.targets, tt.direction)
			golden := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (-want +got), write anew with -update:\n%s", name, diff)
			}
		})
	}
}
