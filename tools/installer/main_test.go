package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestManifestHasTheImageTwice(t *testing.T) {
	for name, image := range map[string]string{
		"with a tag":    "registry.example.com:5000/team/db-operator:1.2",
		"with a digest": "registry.example.com/db-operator@sha256:0000000000000000000000000000000000000000000000000000000000000000",
	} {
		t.Run(name, func(t *testing.T) {
			text, err := render("../../config/default", image)
			if err != nil {
				t.Fatal(err)
			}
			// The operator's own, and that of the agent.
			if got := bytes.Count(text, []byte(": "+image+"\n")); got != 2 {
				t.Errorf("the image is there %d times", got)
			}
			if strings.Contains(string(text), "controller:latest") {
				t.Error("the placeholder is left")
			}
			if !strings.HasPrefix(string(text), "apiVersion: v1\nkind: Namespace\n") {
				t.Error("the namespace does not come first")
			}
			for _, kind := range []string{"CustomResourceDefinition", "Namespace", "Deployment", "ClusterRole"} {
				if !strings.Contains(string(text), "kind: "+kind+"\n") {
					t.Errorf("no %s", kind)
				}
			}
		})
	}
}

func TestImageWithoutTagIsRefused(t *testing.T) {
	for _, image := range []string{"", "db-operator", "registry:5000/db-operator"} {
		if _, err := parse(image); err == nil {
			t.Errorf("%q was taken", image)
		}
	}
}
