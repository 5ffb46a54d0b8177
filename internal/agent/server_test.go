package agent

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/agentapi"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/engine/enginetest"
	"github.com/myuser/db-operator/internal/pki"
)

// answering is a member that only answers: its loop is the test.
func answering(t *testing.T, authority *pki.Authority) (m *member, address string) {
	t.Helper()
	m = &member{o: &Options{Pod: "db-0"}, events: make(chan func(), 1), ctx: t.Context()}
	m.turned.Store(time.Now().UnixNano())
	m.status.Store(&agentapi.Status{Member: "db-0", Role: agentapi.RolePrimary, Ready: true})
	k := memberKeys(t, authority, "db-0", time.Now())
	m.keys.Store(&k)
	server := httptest.NewUnstartedServer(m.handler())
	server.TLS = m.tlsConfig()
	server.StartTLS()
	t.Cleanup(server.Close)
	return m, strings.TrimPrefix(server.URL, "https://")
}

func newAuthority(t *testing.T) *pki.Authority {
	t.Helper()
	authority, err := pki.NewAuthority("shop/db", time.Now().Add(-2*365*24*time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return authority
}

func memberKeys(t *testing.T, a *pki.Authority, name string, now time.Time) keys {
	t.Helper()
	pair, err := a.Member(pki.Member{CommonName: name, DNSNames: []string{name + ".db-members.shop.svc"}}, now)
	if err != nil {
		t.Fatal(err)
	}
	k, err := parseKeys(map[string][]byte{"0.crt": pair.Certificate, "0.key": pair.Key, "ca.crt": a.Pair().Certificate}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func operatorPair(t *testing.T, a *pki.Authority, now time.Time) tls.Certificate {
	t.Helper()
	pair, _, err := a.Operator(now)
	if err != nil {
		t.Fatal(err)
	}
	c, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhoMayAskForTheStatus(t *testing.T) {
	authority, stranger, now := newAuthority(t), newAuthority(t), time.Now()
	_, address := answering(t, authority)
	year := 365 * 24 * time.Hour
	for name, c := range map[string]struct {
		pair tls.Certificate
		want string // part of the error, empty if the answer is good
	}{
		"nobody":                                            {tls.Certificate{}, "401"},
		"the operator":                                      {operatorPair(t, authority, now), ""},
		"an operator whose certificate is over":             {operatorPair(t, authority, now.Add(-year)), "403"},
		"a member":                                          {memberKeys(t, authority, "db-4", now).pair, ""},
		"a member whose certificate is over":                {memberKeys(t, authority, "db-1", now.Add(-year-time.Hour)).pair, ""},
		"somebody else of the same authority":               {memberKeys(t, authority, "other-1", now).pair, "403"},
		"an ordinal that no Database has":                   {memberKeys(t, authority, "db-5", now).pair, "403"},
		"the operator of another authority":                 {operatorPair(t, stranger, now), "403"},
		"a member of the name, but not the right authority": {memberKeys(t, stranger, "db-1", now).pair, "403"},
	} {
		t.Run(name, func(t *testing.T) {
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(authority.Pair().Certificate)
			status, err := agentapi.NewClient(address, "db-0.db-members.shop.svc", c.pair, roots).Status(t.Context())
			switch {
			case c.want == "" && (err != nil || status.Member != "db-0"):
				t.Errorf("status is %+v, error %v", status, err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error is %v, want one with %q", err, c.want)
			}
		})
	}
}

func TestProbesNeedNoCertificate(t *testing.T) {
	m, address := answering(t, newAuthority(t))
	// As kubelet does: it does not know the Database's CA.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	kubelet := &http.Client{Transport: transport}
	get := func(path string) int {
		t.Helper()
		answer, err := kubelet.Get("https://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		return answer.StatusCode
	}
	if alive, ready := get(agentapi.PathLivez), get(agentapi.PathReadyz); alive != 200 || ready != 200 {
		t.Errorf("a serving member answers %d and %d", alive, ready)
	}
	m.status.Store(&agentapi.Status{Reason: "Opening"})
	if alive, ready := get(agentapi.PathLivez), get(agentapi.PathReadyz); alive != 200 || ready != 503 {
		t.Errorf("an opening member answers %d and %d", alive, ready)
	}
	m.turned.Store(time.Now().Add(-time.Minute).UnixNano())
	if alive := get(agentapi.PathLivez); alive != 500 {
		t.Errorf("a member whose loop stands still answers %d", alive)
	}
	if restart := get(agentapi.PathRestart); restart != 405 {
		t.Errorf("a GET of the restart answers %d", restart)
	}
}

func TestRestartReachesTheLoop(t *testing.T) {
	authority := newAuthority(t)
	m, address := answering(t, authority)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority.Pair().Certificate)
	client := agentapi.NewClient(address, "db-0.db-members.shop.svc", operatorPair(t, authority, time.Now()), roots)
	go func() { (<-m.events)() }()
	if err := client.Restart(t.Context(), agentapi.Restart{Generation: 7}); err != nil {
		t.Fatal(err)
	}
	if m.restart != 7 {
		t.Errorf("restart is %d, want 7", m.restart)
	}
}

func TestCertificatesAreExchangedWhileServing(t *testing.T) {
	old, renewed := newAuthority(t), newAuthority(t)
	m, address := answering(t, old)
	k := memberKeys(t, renewed, "db-0", time.Now())
	m.keys.Store(&k)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(renewed.Pair().Certificate)
	client := agentapi.NewClient(address, "db-0.db-members.shop.svc", operatorPair(t, renewed, time.Now()), roots)
	if _, err := client.Status(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestMetrics(t *testing.T) {
	fake := &enginetest.Fake{}
	fake.SetInitialised(true)
	fake.Boot(false)
	var driver engine.Driver = fake
	m := &member{o: &Options{}}
	m.liveDriver.Store(&driver)
	m.lastDisk.Store(&disk{Free: 5 << 30, Size: 10 << 30})
	m.status.Store(&agentapi.Status{
		AgentVersion: "1.0", EngineVersion: "17.6", Role: agentapi.RolePrimary, Ready: true, Term: 3, RecordVersion: 8,
		EngineStarts: 2, Certificate: time.Unix(1_800_000_000, 0),
	})
	var got strings.Builder
	writeMetrics(&got, append(m.ownSamples(), m.engineSamples(context.Background())...))
	want, err := os.ReadFile("testdata/metrics.txt")
	if *update {
		err = os.WriteFile("testdata/metrics.txt", []byte(got.String()), 0o644)
		want = []byte(got.String())
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}
