package desired_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsac "k8s.io/client-go/applyconfigurations/apps/v1"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
)

func build(t *testing.T, db *dbv1.Database, change func(*desired.Settings)) *appsac.StatefulSetApplyConfiguration {
	t.Helper()
	set, err := input(db, change).StatefulSet()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func newer(s *desired.Settings) { s.AgentImage = "docker.io/myuser/db-operator:2" }

func agentImage(set *appsac.StatefulSetApplyConfiguration) string {
	return *set.Spec.Template.Spec.InitContainers[0].Image
}

func TestKeepTemplate(t *testing.T) {
	db := database(dbv1.EnginePostgres, "17")
	edited := database(dbv1.EnginePostgres, "17.12")
	restarted := database(dbv1.EnginePostgres, "17")
	restarted.Annotations = map[string]string{desired.RestartAnnotation: "now"}
	retuned := database(dbv1.EnginePostgres, "17")
	retuned.Generation++
	retuned.Spec.Parameters = dbv1.Parameters{"work_mem": "8MB"}
	old, older := settings().AgentImage, build(t, db, nil)
	cases := map[string]struct {
		db        *dbv1.Database
		takenOver bool
		want      string
	}{
		"a newer operator leaves the template of the same spec": {db: db, want: old},
		"parameters are not part of the template":               {db: retuned, want: old},
		"an edited spec takes the newer agent":                  {db: edited, want: "docker.io/myuser/db-operator:2"},
		"a restart that was asked for takes the newer agent":    {db: restarted, want: "docker.io/myuser/db-operator:2"},
		"a template edited by hand is replaced":                 {db: db, takenOver: true, want: "docker.io/myuser/db-operator:2"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			kept := desired.KeepTemplate(build(t, c.db, newer), older, c.takenOver)
			if got := agentImage(kept); got != c.want {
				t.Errorf("the agent is %s, want %s", got, c.want)
			}
			if c.want != old {
				return
			}
			if diff := cmp.Diff(text(t, older.Spec), text(t, kept.Spec)); diff != "" {
				t.Errorf("the spec changed:\n%s", diff)
			}
			again := desired.KeepTemplate(build(t, c.db, newer), kept, false)
			if diff := cmp.Diff(text(t, kept), text(t, again)); diff != "" {
				t.Errorf("a second pass changed it:\n%s", diff)
			}
		})
	}
}

func TestKeepTemplateKeepsClaimTemplates(t *testing.T) {
	grown := database(dbv1.EnginePostgres, "17")
	grown.Spec.Storage = "20Gi"
	old := build(t, database(dbv1.EnginePostgres, "17"), nil)
	kept := desired.KeepTemplate(build(t, grown, nil), old, false)
	if diff := cmp.Diff(text(t, old.Spec), text(t, kept.Spec)); diff != "" {
		t.Errorf("growing a volume changed the StatefulSet:\n%s", diff)
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
