//go:build apiserver

package api

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscaling "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "github.com/myuser/db-operator/api/v1"
	"github.com/myuser/db-operator/internal/kubetest"
)

func readTyped(t *testing.T, namespace, name string) error {
	t.Helper()
	return kube.Get(t.Context(), types.NamespacedName{Namespace: namespace, Name: name}, new(v1.Database))
}

func create(t *testing.T, namespace string, changes ...string) *unstructured.Unstructured {
	t.Helper()
	object := document(t, namespace, changes...)
	if err := kube.Create(t.Context(), object); err != nil {
		t.Fatalf("creating: %v", err)
	}
	return object
}

// setStatus writes a status as the operator would.
func setStatus(t *testing.T, object *unstructured.Unstructured, change string) error {
	t.Helper()
	object = object.DeepCopy()
	object.Object["status"] = document(t, object.GetNamespace(), change).Object["status"]
	return kube.Status().Update(t.Context(), object)
}

func TestFreshObject(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	want := map[string]any{
		"spec": map[string]any{
			"engine": "postgres", "version": "17", "replicas": int64(1), "storage": "10Gi",
			"resources":  map[string]any{"requests": map[string]any{"cpu": "100m", "memory": "512Mi"}},
			"failover":   map[string]any{"profile": "fast"},
			"durability": map[string]any{"onLoss": "degrade"},
			"service":    map[string]any{"type": "ClusterIP", "ipFamilyPolicy": "PreferDualStack"},
		},
		"status": map[string]any{"observedGeneration": int64(-1)},
	}
	created := create(t, namespace)
	read := created.DeepCopy()
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(created), read); err != nil {
		t.Fatal(err)
	}
	for when, object := range map[string]*unstructured.Unstructured{"as answered to the creation": created, "as read": read} {
		got := map[string]any{"spec": object.Object["spec"], "status": object.Object["status"]}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
}

// Templates of tools like to write null for what is not given.
func TestNullIsTheDefault(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	plain := create(t, namespace, `metadata: {name: plain}`)
	nulls := document(t, namespace, `metadata: {name: nulls}`)
	for _, field := range strings.Fields("replicas storage storageClassName image imagePullSecrets resources scheduling podMetadata parameters failover durability service") {
		if err := unstructured.SetNestedField(nulls.Object, nil, "spec", field); err != nil {
			t.Fatal(err)
		}
	}
	if err := kube.Create(t.Context(), nulls); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain.Object["spec"], nulls.Object["spec"]); diff != "" {
		t.Errorf("null is not as if left out (-left out +null):\n%s", diff)
	}
}

func TestStatusIsTheOperatorsAlone(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	object := create(t, namespace, `status: {phase: Running, ready: true, observedGeneration: 1}`)
	if got := object.Object["status"]; !cmp.Equal(got, map[string]any{"observedGeneration": int64(-1)}) {
		t.Errorf("a creation sets the status: %v", got)
	}
}

func TestSamples(t *testing.T) {
	files, err := filepath.Glob("../../config/samples/*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("samples: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			namespace := kubetest.Namespace(t, kube)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, document := range strings.Split(string(text), "\n---\n") {
				var kind metav1.TypeMeta
				if err := yaml.Unmarshal([]byte(document), &kind); err != nil {
					t.Fatal(err)
				}
				if kind.Kind == "Database" {
					createSample(t, namespace, []byte(document))
				}
			}
		})
	}
}

func createSample(t *testing.T, namespace string, text []byte) {
	t.Helper()
	db := new(v1.Database)
	if err := yaml.UnmarshalStrict(text, db); err != nil {
		t.Errorf("a field that does not exist: %v", err)
	}
	if _, err := db.Spec.Scheduling.PodAffinity(); err != nil {
		t.Error(err)
	}
	db.Namespace = namespace
	if err := kube.Create(t.Context(), db, client.FieldValidation("Strict")); err != nil {
		t.Error(err)
	}
}

// The source document's YAML must work letter by letter.
func TestFirstSampleIsVerbatim(t *testing.T) {
	const want = `apiVersion: example.com/v1
kind: Database
metadata:
  name: my-mysql
spec:
  engine: mysql
  version: "8.0"
  replicas: 3
  storage: "50Gi"
`
	got, err := os.ReadFile("../../config/samples/my-mysql.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("config/samples/my-mysql.yaml (-want +got):\n%s", diff)
	}
}

func TestScale(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	db := &v1.Database{
		ObjectMeta: metav1.ObjectMeta{Name: "scaled", Namespace: namespace},
		Spec:       v1.DatabaseSpec{Engine: v1.EnginePostgres, Version: "17"},
	}
	if err := kube.Create(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	db.Status = v1.DatabaseStatus{ObservedGeneration: 1, Replicas: 1, Selector: "example.com/database=scaled"}
	if err := kube.Status().Update(t.Context(), db); err != nil {
		t.Fatal(err)
	}
	scale := new(autoscaling.Scale)
	if err := kube.SubResource("scale").Get(t.Context(), db, scale); err != nil {
		t.Fatal(err)
	}
	if scale.Spec.Replicas != 1 || scale.Status.Replicas != 1 || scale.Status.Selector != "example.com/database=scaled" {
		t.Errorf("scale says %+v of %+v", scale.Status, scale.Spec)
	}
	scale.Spec.Replicas = 3
	if err := kube.SubResource("scale").Update(t.Context(), db, client.WithSubResourceBody(scale)); err != nil {
		t.Fatal(err)
	}
	if err := kube.Get(t.Context(), client.ObjectKeyFromObject(db), db); err != nil {
		t.Fatal(err)
	}
	if db.Spec.Replicas != 3 || db.Generation != 2 {
		t.Errorf("after scaling to 3: replicas %d, generation %d", db.Spec.Replicas, db.Generation)
	}
	scale.Spec.Replicas = 6
	scale.ResourceVersion = ""
	if err := kube.SubResource("scale").Update(t.Context(), db, client.WithSubResourceBody(scale)); err == nil {
		t.Error("scaling to 6 is accepted")
	}
}

func TestReservedParameters(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	refused := append([]string{
		"skip_log_bin", "enable_log_bin", "skip_super_read_only", // as options
		"ssl_cipher", "skip_ssl", "relay_log_recovery", "rpl_semi_sync_source_timeout", "recovery_target_action", "tls_version", // of a family
	}, v1.ReservedParameters...)
	for _, name := range refused {
		err := kube.Create(t.Context(), document(t, namespace, `spec: {parameters: {`+name+`: "1"}}`), client.DryRunAll)
		if err == nil || !strings.Contains(err.Error(), "remove "+name+":") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// What users do set; some of it resembles a reserved name.
	for _, name := range strings.Fields(`
		archive_timeout autovacuum binlog_cache_size binlog_expire_logs_seconds binlog_row_metadata
		enable_seqscan enable_sort event_scheduler hot_standby_feedback innodb_buffer_pool_size innodb_doublewrite_pages
		innodb_flush_log_at_timeout innodb_io_capacity lc_messages general_log innodb_log_buffer_size innodb_redo_log_capacity log_bin_trust_function_creators
		log_connections log_error_verbosity log_min_duration_statement log_queries_not_using_indexes lower_case_table_names
		max_connections max_wal_size pg_stat_statements.track plugin_foo recovery_prefetch replica_parallel_workers
		session_preload_libraries shared_buffers shared_preload_libraries skip_name_resolve slow_query_log sql_mode
		time_zone timezone transaction_isolation validate_password.policy wal_compression wal_keep_size work_mem`) {
		if err := kube.Create(t.Context(), document(t, namespace, `spec: {parameters: {`+name+`: "1"}}`), client.DryRunAll); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestStorageClassNameIsFixed(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	for name, c := range map[string]struct{ before, after string }{
		"set later":     {`{}`, `spec: {storageClassName: fast}`},
		"removed later": {`spec: {storageClassName: fast}`, `spec: {storageClassName: null}`},
		"emptied later": {`spec: {storageClassName: fast}`, `spec: {storageClassName: ""}`},
	} {
		t.Run(name, func(t *testing.T) {
			object := create(t, namespace, c.before, `metadata: {name: `+strings.Fields(name)[0]+`}`)
			changed := document(t, namespace, c.before, c.after)
			changed.SetName(object.GetName())
			changed.SetResourceVersion(object.GetResourceVersion())
			err := kube.Update(t.Context(), changed, client.DryRunAll)
			if err == nil || !strings.Contains(err.Error(), "spec.storageClassName: Invalid") {
				t.Errorf("not refused at spec.storageClassName: %v", err)
			}
		})
	}
}
