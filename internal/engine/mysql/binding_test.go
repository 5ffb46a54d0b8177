package mysql

import (
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/engine"
)

func TestBindingEscapesEveryValue(t *testing.T) {
	got := Profile{}.Binding(engine.Connection{
		Host: "my-mysql.team.svc", Port: 3306, Database: "app", Username: "app", Password: `p@ss:/?#[ ]+&"\%`,
	})
	want := map[string]string{
		"uri":      `mysql://app:p%40ss%3A%2F%3F%23%5B%20%5D%2B%26%22%5C%25@my-mysql.team.svc:3306/app?ssl-mode=REQUIRED&connect-timeout=2000`,
		"jdbc-uri": `jdbc:mysql://my-mysql.team.svc:3306/app?user=app&password=p%40ss%3A%2F%3F%23%5B%20%5D%2B%26%22%5C%25&sslMode=REQUIRED&connectTimeout=2000&tcpKeepAlive=true`,
		"my.cnf": `[client]
host = my-mysql.team.svc
port = 3306
user = app
password = "p@ss:/?#[ ]+&\"\\%"
ssl-mode = REQUIRED

[mysql]
database = app
connect-timeout = 2
`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzBindingURIReadsBack(f *testing.F) {
	f.Add("app", "secret", "app")
	f.Add("a b", "p@:/?#%+&\x00", "d/b")
	f.Fuzz(func(t *testing.T, user, password, database string) {
		b := Profile{}.Binding(engine.Connection{Host: "::1", Port: 3306, Username: user, Password: password, Database: database})
		u, err := url.Parse(b["uri"])
		if err != nil {
			t.Fatal(err)
		}
		if p, _ := u.User.Password(); u.User.Username() != user || p != password || u.Path != "/"+database || u.Host != "[::1]:3306" {
			t.Errorf("%q reads back as %q %q %q %q", b["uri"], u.User.Username(), p, u.Path, u.Host)
		}
	})
}
