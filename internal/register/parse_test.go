package register

import "testing"

func FuzzLeaseAnswer(f *testing.F) {
	f.Add([]byte(`{"metadata":{"uid":"u","resourceVersion":"7","annotations":{"example.com/record":"{\"version\":1,\"term\":0,\"members\":[\"a\"],\"acks\":1}"}}}`))
	f.Add([]byte(`{"metadata":{"uid":"u","resourceVersion":"x"}}`))
	f.Add([]byte(`{"metadata":[]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, content []byte) {
		l := NewLease(nil, "shop", "db-ha", "db-0")
		state, err := l.state(content)
		if err != nil {
			return
		}
		if state.Base.UID == "" || state.Base.Version == "" {
			t.Error("a state without a base cannot be replaced")
		}
		if state.Record != nil {
			if err := state.Record.Validate(); err != nil {
				t.Errorf("an invalid record is accepted: %v", err)
			}
		}
	})
}

func FuzzStamp(f *testing.F) {
	f.Add("3.7")
	f.Add("3")
	f.Add("-1.x")
	f.Fuzz(func(t *testing.T, text string) { stamp(text) })
}
