package agentapi_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/myuser/db-operator/internal/agentapi"
)

func FuzzParseSpec(f *testing.F) {
	f.Add([]byte(`{"namespace":"shop","name":"db","engine":"e","version":"1","register":"db-ha","parameters":{"a":"b"}}`))
	f.Add([]byte(`{"namespace":"shop"}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, text []byte) {
		spec, err := agentapi.ParseSpec(text)
		if err != nil {
			return
		}
		if spec.Name == "" || spec.Register == "" {
			t.Errorf("an unusable document is accepted: %+v", spec)
		}
		again, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		second, err := agentapi.ParseSpec(again)
		if err != nil || !cmp.Equal(spec, second, cmpopts.EquateEmpty()) {
			t.Errorf("the document is not itself again: %v", err)
		}
	})
}
