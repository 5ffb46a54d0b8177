package desired_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"k8s.io/apimachinery/pkg/api/resource"

	dbv1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/desired"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/mysql"
	"github.com/myuser/db-operator/internal/engine/postgres"
	"github.com/myuser/db-operator/internal/pki"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// database is what the API server makes of the smallest spec.
func database(e dbv1.Engine, version string) *dbv1.Database {
	return &dbv1.Database{
		ObjectMeta: metav1.ObjectMeta{Namespace: "prod", Name: "shop", UID: "5f7c1a2e-0000-4000-8000-000000000001", Generation: 1},
		Spec: dbv1.DatabaseSpec{
			Engine:   e,
			Version:  version,
			Replicas: 1,
			Storage:  "10Gi",
			Resources: dbv1.Resources{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("512Mi"),
			}},
			Failover:   dbv1.Failover{Profile: dbv1.FailoverFast},
			Durability: dbv1.Durability{OnLoss: dbv1.OnLossDegrade},
			Service:    dbv1.Service{Type: corev1.ServiceTypeClusterIP, IPFamilyPolicy: corev1.IPFamilyPolicyPreferDualStack},
		},
	}
}

func settings() desired.Settings {
	return desired.Settings{AgentImage: "docker.io/myuser/db-operator:1", Registry: "docker.io", ClusterDomain: "cluster.local"}
}

func input(db *dbv1.Database, change func(*desired.Settings)) desired.Input {
	profiles := map[dbv1.Engine]engine.Profile{dbv1.EngineMySQL: mysql.Profile{}, dbv1.EnginePostgres: postgres.Profile{}}
	s := settings()
	if change != nil {
		change(&s)
	}
	return desired.Input{Database: db, Profile: profiles[db.Spec.Engine], Settings: s}
}

// everything sets each field that an object is made from.
func everything(db *dbv1.Database) {
	class := "fast-ssd"
	db.Generation = 7
	db.Annotations = map[string]string{desired.RestartAnnotation: "2026-11-30"}
	db.Spec.StorageClassName = &class
	db.Spec.Storage = "50Gi"
	db.Spec.Image = "registry.example.com/team/server:17.12"
	db.Spec.ImagePullSecrets = []dbv1.SecretReference{{Name: "pull"}}
	db.Spec.Resources = dbv1.Resources{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("4Gi")},
	}
	seconds := int64(30)
	db.Spec.Scheduling = dbv1.Scheduling{
		NodeSelector:              map[string]dbv1.LabelValue{"disk": "ssd"},
		Affinity:                  &runtime.RawExtension{Raw: []byte(`{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]}}}`)},
		Tolerations:               []dbv1.Toleration{{Key: "db", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}},
		TopologySpreadConstraints: []dbv1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: corev1.ScheduleAnyway}},
		PriorityClassName:         "databases",
	}
	db.Spec.PodMetadata = dbv1.PodMetadata{
		Labels:      map[string]dbv1.LabelValue{"team": "shop"},
		Annotations: map[string]dbv1.AnnotationValue{"note": "ours"},
	}
	db.Spec.Parameters = dbv1.Parameters{"max_connections": "250"}
	db.Spec.Failover.Profile = dbv1.FailoverFar
	db.Spec.Durability.OnLoss = dbv1.OnLossBlock
	db.Spec.Service = dbv1.Service{
		Type:           corev1.ServiceTypeLoadBalancer,
		Annotations:    map[string]dbv1.AnnotationValue{"external-dns.alpha.kubernetes.io/hostname": "shop.example.com"},
		IPFamilyPolicy: corev1.IPFamilyPolicySingleStack,
	}
}

// document is all objects, in the order in which they are made.
func document(t *testing.T, in desired.Input, families []corev1.IPFamily, bootstrap bool) []byte {
	t.Helper()
	set, err := in.StatefulSet()
	if err != nil {
		t.Fatal(err)
	}
	authority := pki.Pair{Certificate: []byte("(certificate of the authority)"), Key: []byte("(its key)")}
	members := make([]pki.Pair, desired.MaxMembers)
	for i := range members {
		members[i] = pki.Pair{Certificate: []byte("(certificate)"), Key: []byte("(key)")}
	}
	objects := []any{
		in.ServiceAccount(), in.Role(), in.RoleBinding(),
		in.AuthoritySecret(authority), in.TLSSecret(authority.Certificate, members),
		in.AppSecret("p@ss:word", authority.Certificate), in.AdminSecret("p@ss:word", authority.Certificate),
		in.ReadWriteService(), in.ReadOnlyService(), in.MembersService(),
	}
	for _, slice := range in.EndpointSlices(families) {
		objects = append(objects, slice)
	}
	objects = append(objects, in.Register(bootstrap), in.Config(in.Spec(len(families))), in.Budget(), set,
		in.Claim(0, resource.MustParse(in.Database.Spec.Storage),
			desired.Kept{Version: in.Database.Spec.Version, Posted: "12", Cluster: "c0ffee"}))
	if in.Settings.PullSecret {
		objects = append(objects, in.PullSecret([]byte(`{"auths":{}}`)))
	}
	var all bytes.Buffer
	for _, object := range objects {
		text, err := yaml.Marshal(readable(t, object))
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("---\n")
		all.Write(text)
	}
	return all.Bytes()
}

// readable shows the data of Secrets as text.
func readable(t *testing.T, object any) map[string]any {
	t.Helper()
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		t.Fatal(err)
	}
	if content["kind"] == "Secret" {
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		var secret corev1.Secret
		if err := yaml.Unmarshal(text, &secret); err != nil {
			t.Fatal(err)
		}
		data := map[string]any{}
		for key, value := range secret.Data {
			data[key] = string(value)
		}
		delete(content, "data")
		content["stringData"] = data
	}
	return content
}

func TestGolden(t *testing.T) {
	dual := []corev1.IPFamily{corev1.IPv4Protocol, corev1.IPv6Protocol}
	uid, gid := int64(1000680000), int64(0)
	cases := map[string]struct {
		db        *dbv1.Database
		change    func(*dbv1.Database)
		settings  func(*desired.Settings)
		families  []corev1.IPFamily
		bootstrap bool
	}{
		"smallest-postgres":      {db: database(dbv1.EnginePostgres, "17"), families: dual, bootstrap: true},
		"smallest-mysql":         {db: database(dbv1.EngineMySQL, "9.7"), families: dual[:1], bootstrap: true},
		"everything-postgres":    {db: database(dbv1.EnginePostgres, "17.12"), change: everything, families: dual[1:]},
		"mysql-on-openshift":     {db: database(dbv1.EngineMySQL, "8.4"), families: dual[:1], settings: func(s *desired.Settings) { s.OpenShift, s.PullSecret = true, true }},
		"postgres-under-any-uid": {db: database(dbv1.EnginePostgres, "18"), families: dual[:1], settings: func(s *desired.Settings) { s.RunAsUser, s.RunAsGroup = &uid, &gid }},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.change != nil {
				c.change(c.db)
			}
			before := c.db.DeepCopy()
			got := document(t, input(c.db, c.settings), c.families, c.bootstrap)
			if diff := cmp.Diff(before, c.db); diff != "" {
				t.Errorf("the Database was changed:\n%s", diff)
			}
			if again := document(t, input(c.db, c.settings), c.families, c.bootstrap); !bytes.Equal(got, again) {
				t.Error("the same input gave two different documents")
			}
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("%s (-want +got); -update rewrites it:\n%s", file, diff)
			}
		})
	}
}
