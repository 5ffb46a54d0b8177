package main

import (
	"flag"
	"io"
	"testing"
)

func TestOptions(t *testing.T) {
	for name, c := range map[string]struct {
		args    []string
		valid   bool
		metrics string
		secure  bool
	}{
		"all namespaces":           {[]string{"-agent-image=i:1"}, true, ":8443", true},
		"single namespaces":        {[]string{"-agent-image=i:1", "-namespaces=a,b"}, true, "127.0.0.1:8080", false},
		"metrics elsewhere":        {[]string{"-agent-image=i:1", "-metrics-bind-address=:9999"}, true, ":9999", true},
		"no agent image":           {nil, false, ":8443", true},
		"any uid":                  {[]string{"-agent-image=i:1", "-run-as-user=1000680000", "-run-as-group=0"}, true, ":8443", true},
		"a group without a user":   {[]string{"-agent-image=i:1", "-run-as-group=0"}, false, ":8443", true},
		"a user that is not a uid": {[]string{"-agent-image=i:1", "-run-as-user=postgres"}, false, "", false},
		"a uid that cannot be":     {[]string{"-agent-image=i:1", "-run-as-user=-1"}, false, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("AGENT_IMAGE", "")
			t.Setenv("WATCH_NAMESPACE", "")
			flags := flag.NewFlagSet("manager", flag.ContinueOnError)
			flags.SetOutput(io.Discard)
			o := newOptions(flags)
			err := flags.Parse(c.args)
			if err == nil {
				m := o.metrics()
				if m.BindAddress != c.metrics || m.SecureServing != c.secure || m.SecureServing != (m.FilterProvider != nil) {
					t.Errorf("metrics at %s, secure %t", m.BindAddress, m.SecureServing)
				}
				err = o.validate()
			}
			if (err == nil) != c.valid {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestEveryEngineOfTheAPIHasItsProfile(t *testing.T) {
	for name, profile := range profiles {
		if profile.Name() != string(name) {
			t.Errorf("%s has the profile of %s", name, profile.Name())
		}
	}
}
