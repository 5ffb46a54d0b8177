package postgres

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/myuser/db-operator/internal/engine"
)

func TestBinding(t *testing.T) {
	got := Profile{}.Binding(engine.Connection{
		Host: "db.shop.svc", Port: 5432, Database: "app", Username: "app", Password: `a:b\c/@?&=%+ d'"é`,
	})
	const password = "a%3Ab%5Cc%2F%40%3F%26%3D%25%2B%20d%27%22%C3%A9"
	want := map[string]string{
		"uri": "postgresql://app:" + password + "@db.shop.svc:5432/app?sslmode=require&connect_timeout=2&target_session_attrs=read-write",
		"libpq-uri": "postgresql://app:" + password + "@db.shop.svc:5432/app?sslmode=require&connect_timeout=2" +
			"&target_session_attrs=read-write&keepalives_idle=2&keepalives_interval=1&keepalives_count=3&tcp_user_timeout=5000",
		"jdbc-uri": "jdbc:postgresql://db.shop.svc:5432/app?user=app&password=" + password +
			"&sslmode=require&connectTimeout=2&loginTimeout=5&targetServerType=primary&tcpKeepAlive=true",
		"pgpass": `db.shop.svc:5432:app:app:a\:b\\c/@?&=%+ d'"é` + "\n",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestBindingLeavesOutWhatItsFileCannotHold(t *testing.T) {
	got := Profile{}.Binding(engine.Connection{Host: "h", Port: 1, Database: "d", Username: "u", Password: "a\nb"})
	if pass, ok := got["pgpass"]; ok {
		t.Errorf("pgpass = %q", pass)
	}
}

func FuzzBinding(f *testing.F) {
	f.Add("app", "app", "secret")
	f.Add("a/b?c", "u:@", "100% #1 + ü")
	f.Fuzz(func(t *testing.T, database, username, password string) {
		if database == "" || username == "" || strings.Contains(database+username+password, "\x00") {
			return // no server has such names
		}
		uri := Profile{}.Binding(engine.Connection{
			Host: "h.example", Port: 5432, Database: database, Username: username, Password: password,
		})["uri"]
		u, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := u.User.Password(); got != password || u.User.Username() != username || u.Path != "/"+database {
			t.Fatalf("%q reads as %q %q %q", uri, u.User.Username(), got, u.Path)
		}
		c, err := pgconn.ParseConfig(uri)
		if err != nil {
			t.Fatal(err)
		}
		if c.User != username || c.Password != password || c.Host != "h.example" {
			t.Fatalf("%q reads as %q %q", uri, c.User, c.Password)
		}
		if len(c.RuntimeParams) > 0 {
			t.Fatalf("%q makes a driver send %v to the server, which refuses them", uri, c.RuntimeParams)
		}
	})
}
