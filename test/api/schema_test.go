//go:build apiserver

package api

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/myuser/db-operator/config/crd"
	"github.com/myuser/db-operator/internal/kubetest"
)

// TestRules holds each rule of the schema against its case. A rule without a
// case fails, and so does a case without a rule.
func TestRules(t *testing.T) {
	rules := rulesOf("", crd.Definition().Spec.Versions[0].Schema.OpenAPIV3Schema)
	used := map[string]string{}
	for _, rule := range rules {
		key := caseOf(rule)
		if key == "" {
			t.Errorf("no case for the rule %q", rule)
			continue
		}
		if other, twice := used[key]; twice {
			t.Errorf("the case %q stands for two rules: %q and %q", key, other, rule)
		}
		used[key] = rule
	}
	for key := range ruleCases {
		if used[key] == "" {
			t.Errorf("no rule for the case %q", key)
		}
	}
	namespace := kubetest.Namespace(t, kube)
	for key, rule := range used {
		t.Run(key, func(t *testing.T) {
			c := ruleCases[key]
			apply := prepare(t, namespace, rule, c)
			checkRefusal(t, rule, c, apply(c.refused))
			if err := apply(c.accepted); err != nil {
				t.Errorf("the neighbour is refused too: %v", err)
			}
		})
	}
	t.Logf("%d rules, each with a refused and an accepted case", len(rules))
}

// caseOf is the key of the case for a rule: the longest beginning of it.
func caseOf(rule string) string {
	found := ""
	for key := range ruleCases {
		if strings.HasPrefix(rule, key) && len(key) > len(found) {
			found = key
		}
	}
	return found
}

// prepare returns what makes one change and gives the API server's answer:
// a creation, an update of an object that exists, or an update of its status.
func prepare(t *testing.T, namespace, rule string, c ruleCase) func(change string) error {
	t.Helper()
	toStatus := strings.HasPrefix(rule, "status")
	if c.before == "" && !toStatus {
		return func(change string) error {
			return kube.Create(t.Context(), document(t, namespace, change), client.DryRunAll)
		}
	}
	object := document(t, namespace, c.before)
	object.SetName("")
	object.SetGenerateName("before-")
	if err := kube.Create(t.Context(), object); err != nil {
		t.Fatalf("creating the object to change: %v", err)
	}
	t.Cleanup(func() {
		if err := kube.Delete(context.WithoutCancel(t.Context()), object); err != nil {
			t.Errorf("deleting the object: %v", err)
		}
	})
	return func(change string) error {
		changed := document(t, namespace, c.before, change)
		changed.SetName(object.GetName())
		changed.SetResourceVersion(object.GetResourceVersion())
		if toStatus {
			return kube.Status().Update(t.Context(), changed, &client.SubResourceUpdateOptions{UpdateOptions: client.UpdateOptions{DryRun: []string{metav1.DryRunAll}}})
		}
		return kube.Update(t.Context(), changed, client.DryRunAll)
	}
}

func checkRefusal(t *testing.T, rule string, c ruleCase, err error) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted, but the rule should refuse it")
	}
	var status *apierrors.StatusError
	if !errors.As(err, &status) || !apierrors.IsInvalid(err) || status.ErrStatus.Details == nil {
		t.Fatalf("refused, but not as invalid: %v", err)
	}
	field, says := expected(rule, c)
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Field == field && strings.Contains(cause.Message, says) {
			return
		}
	}
	t.Errorf("refused otherwise than with %q at %s: %v", says, field, err)
}

var keyword = regexp.MustCompile(`^(required|enum|minimum|maximum|minLength|maxLength|maxItems|maxProperties|pattern|format|unique)( |$)`)

// expected is where a refusal by the rule points and what it tells: a CEL rule
// its own message, a keyword what the API server says of it.
func expected(rule string, c ruleCase) (field, says string) {
	path, what, _ := strings.Cut(rule, " ")
	if !strings.HasPrefix(path, "spec") && !strings.HasPrefix(path, "status") {
		path, what = "", rule
	}
	field, says = strings.ReplaceAll(path, "[]", "[0]"), what
	if word := keyword.FindString(what); word != "" && !strings.Contains(what[len(word):], " ") {
		argument := what[len(word):]
		switch strings.TrimSpace(word) {
		case "required":
			field, says = strings.TrimPrefix(field+"."+argument, "."), "Required value"
		case "enum":
			says = "supported values: "
		case "minimum":
			says = "greater than or equal to " + argument
		case "maximum":
			says = "less than or equal to " + argument
		case "minLength":
			says = "at least " + argument
		case "maxLength":
			says = "may not be more than " + argument
		case "maxItems", "maxProperties":
			says = "must have at most " + argument
		case "pattern":
			says = "should match '"
		case "format":
			says = "must be of type " + argument
			if argument == "int32" {
				// The answer names the field in its text, and points at the whole.
				field, says = "<nil>", "must be of type integer with format int32 in "
				if path == "status" || strings.HasPrefix(path, "status.") {
					field = "status"
				}
			}
		case "unique":
			says = "Duplicate value"
		}
	}
	if c.field != "" {
		field = c.field
	}
	if c.says != "" {
		says = c.says
	}
	return field, says
}

// TestNothingAcceptedBreaksTheOperator reads back, as the operator does, what
// an unkind user could write: one object that cannot be decoded would stop the
// lists and watches of all.
func TestNothingAcceptedBreaksTheOperator(t *testing.T) {
	namespace := kubetest.Namespace(t, kube)
	cases := map[string]string{
		"a number as version":                           `spec: {version: 17}`,
		"a number as parameter":                         `spec: {parameters: {max_connections: 9}}`,
		"a fraction of a replica":                       `spec: {replicas: 1.5}`,
		"a word as affinity":                            `spec: {scheduling: {affinity: near}}`,
		"a list as affinity":                            `spec: {scheduling: {affinity: [1]}}`,
		"an affinity of words":                          `spec: {scheduling: {affinity: {nodeAffinity: near, podAffinity: [1]}}}`,
		"a fraction of a CPU":                           `spec: {resources: {requests: {cpu: 0.5}}}`,
		"no unit at all":                                `spec: {resources: {requests: {cpu: "1.5e3", memory: 0}}}`,
		"a huge quantity":                               `spec: {storage: 9999999E, resources: {limits: {memory: 9999999E}}}`,
		"fractions of a byte":                           `spec: {storage: "1073741824.5", resources: {limits: {memory: "1n"}}}`,
		"a toleration for half a second":                `spec: {scheduling: {tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 0.5}]}}`,
		"a toleration for longer than an integer holds": `spec: {scheduling: {tolerations: [{key: a, effect: NoExecute, tolerationSeconds: 99999999999999999999}]}}`,
		"an unknown selector operator":                  `spec: {scheduling: {topologySpreadConstraints: [{` + spread + `, labelSelector: {matchExpressions: [{key: a, operator: Sometimes}]}}]}}`,
		"unknown fields":                                `spec: {sharding: {shards: 3}}`,
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			object := document(t, namespace, change)
			object.SetName("")
			object.SetGenerateName("odd-")
			if err := kube.Create(t.Context(), object); err != nil {
				if !apierrors.IsInvalid(err) && !apierrors.IsBadRequest(err) {
					t.Errorf("neither accepted nor refused for what it says: %v", err)
				}
				t.Logf("refused: %v", err)
				return
			}
			if err := readTyped(t, namespace, object.GetName()); err != nil {
				t.Errorf("accepted, but the operator cannot read it: %v", err)
			}
		})
	}
}
