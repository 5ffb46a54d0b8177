package agentapi_test

import (
	"maps"
	"testing"

	"github.com/myuser/db-operator/internal/agentapi"
)

func TestHashFiles(t *testing.T) {
	type files map[string][]byte
	spec := []byte("{}")
	tls := files{"ca.crt": []byte("ca"), "0.crt": []byte("crt"), "0.key": []byte("key")}
	app := files{"username": []byte("app"), "password": []byte("one"), "uri": []byte("derived")}
	admin := files{"username": []byte("admin"), "password": []byte("two")}
	base := agentapi.HashFiles(spec, tls, app, admin)

	with := func(f files, key, value string) files {
		f = maps.Clone(f)
		f[key] = []byte(value)
		return f
	}
	for name, c := range map[string]struct {
		hash string
		same bool
	}{
		"the same files":               {agentapi.HashFiles(spec, maps.Clone(tls), app, admin), true},
		"a value that is only derived": {agentapi.HashFiles(spec, tls, with(app, "uri", "other"), admin), true},
		"another document":             {agentapi.HashFiles([]byte("{ }"), tls, app, admin), false},
		"another key":                  {agentapi.HashFiles(spec, with(tls, "0.key", "other"), app, admin), false},
		"one more certificate":         {agentapi.HashFiles(spec, with(tls, "1.crt", ""), app, admin), false},
		"another password":             {agentapi.HashFiles(spec, tls, app, with(admin, "password", "three")), false},
		"passwords changed over":       {agentapi.HashFiles(spec, tls, with(app, "password", "two"), with(admin, "password", "one")), false},
	} {
		t.Run(name, func(t *testing.T) {
			if (c.hash == base) != c.same {
				t.Errorf("hash is %s, that of the base %s", c.hash, base)
			}
		})
	}
}
