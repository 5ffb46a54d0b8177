package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/myuser/db-operator/internal/agent/state"
	"github.com/myuser/db-operator/internal/agent/supervise"
	"github.com/myuser/db-operator/internal/engine"
	"github.com/myuser/db-operator/internal/ha"
	"github.com/myuser/db-operator/internal/pki"
	"github.com/myuser/db-operator/internal/register"
	"github.com/myuser/db-operator/internal/register/registertest"
)

func TestFirstStart(t *testing.T) {
	inWorld(t, func(w *world) {
		began := time.Now()
		w.serve()
		if took := time.Since(began); took > time.Second {
			t.Errorf("a first start took %s of waiting", took)
		}
		want := []string{"Initialise", "Configure", "Boot", "Promote", "Barrier", "EnsureAccounts", "SetGate open"}
		if diff := cmp.Diff(want, w.engine.Calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		s := w.status()
		wantRecord := ha.First(s.UID, "fast").Claim(s.UID)
		if diff := cmp.Diff(&wantRecord, w.reg.Record()); diff != "" {
			t.Errorf("record (-want +got):\n%s", diff)
		}
		if w.routes.show("db-rw") != "10.0.0.7" || w.routes.show("db-rw-v6") != "10.0.0.7" {
			t.Errorf("endpoints are %v", w.routes.shown)
		}
		if s.Role != "primary" || s.Term != 1 || s.RecordVersion != 2 || s.SpecGeneration != 1 || s.ConfigHash == "" || s.Reason != "" || s.Certificate.IsZero() {
			t.Errorf("status is %+v", s)
		}
		if w.guardian.holds() != supervise.NoExpiry {
			t.Error("the guardian guards nothing")
		}
		if a := w.engine.Accounts(); a.Database != "app" || a.App.Password != "secret" || len(a.ReplicationSubjects) != 5 {
			t.Errorf("accounts are %+v", a)
		}
		c := w.engine.Config()
		if c.ServerID == 0 || c.ClusterUID != s.ClusterUID || c.Member != "db-0" || c.Paths.DataDir != w.layout.Data {
			t.Errorf("configuration is %+v", c)
		}
		for _, file := range []string{"tls.crt", "tls.key", "ca.crt"} {
			info, err := os.Stat(filepath.Join(w.layout.certificates(), file))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", file, info, err)
			}
		}
	})
}

func TestAnIdleMemberWritesNothingAndReadsRarely(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		reads, writes, routes := w.reg.Reads(), w.reg.Writes(), w.routes.writes
		w.pass(20 * time.Minute)
		if w.reg.Writes() != writes || w.routes.writes != routes {
			t.Errorf("twenty idle minutes had %d register and %d endpoint writes", w.reg.Writes()-writes, w.routes.writes-routes)
		}
		if n := w.reg.Reads() - reads; n < 10 || n > 27 {
			t.Errorf("twenty idle minutes had %d register reads", n)
		}
		if diff := cmp.Diff(sessions(1), w.engine.Sessions()); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}
	})
}

// A crash between any two steps of a first start loses nothing and repeats
// nothing that must happen once.
func TestCrashBetweenAnyTwoSteps(t *testing.T) {
	steps := 0
	inWorld(t, func(w *world) {
		w.crash.arm(0)
		w.serve()
		steps = w.crash.steps
	})
	if steps < 12 {
		t.Fatalf("a first start has only %d steps", steps)
	}
	for n := 1; n <= steps; n++ {
		inWorld(t, func(w *world) {
			w.crash.arm(n)
			w.reg.Create("db-0")
			w.start()
			<-w.crash.hit
			w.kill()
			w.crash.arm(0)
			w.start()
			w.untilServes()
			if got := w.engine.Sessions(); len(got) > 2 || got[len(got)-1].Term != 1 {
				t.Errorf("step %d: sessions are %v", n, got)
			}
			if r := w.reg.Record(); r == nil || r.Version > 3 || r.Leader != w.status().UID {
				t.Errorf("step %d: record is %v", n, r)
			}
		})
	}
}

func TestUnknownWrites(t *testing.T) {
	for name, faults := range map[string][]registertest.Fault{
		"the answer to the first record is lost":  {registertest.LostAnswer},
		"the answer to the claim is lost":         {registertest.None, registertest.LostAnswer},
		"both requests are lost at first":         {registertest.LostRequest, registertest.None, registertest.LostRequest},
		"the claim arrives after it is asked for": {registertest.None, registertest.LateRequest, registertest.LostAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.reg.Fail(faults...)
				w.serve()
				w.reg.Land()
				w.pass(5 * time.Minute)
				if !w.serves() || w.reg.Record().Version != 2 || w.reg.Record().Term != 1 {
					t.Errorf("record is %v, serving: %t", w.reg.Record(), w.serves())
				}
				if st := w.store.Get(); st.Pending != nil {
					t.Errorf("pending is %v", st.Pending)
				}
			})
		})
	}
}

func TestARestartedPodLeadsItsTermAgain(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		writes := w.reg.Writes()
		w.end()
		if w.engine.Running() || w.routes.show("db-rw") != "" {
			t.Errorf("after the end: running %t, endpoint %q", w.engine.Running(), w.routes.show("db-rw"))
		}
		w.start()
		w.untilServes()
		if w.reg.Writes() != writes {
			t.Error("the register was written")
		}
		if diff := cmp.Diff(sessions(1, 1), w.engine.Sessions()); diff != "" {
			t.Errorf("sessions (-want +got):\n%s", diff)
		}
		if w.routes.show("db-rw") != "10.0.0.7" {
			t.Error("the endpoint is not back")
		}
	})
}

func TestSoloBoot(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.kill()
		w.reg.Down(true)
		w.routes.fail(errBroken)
		w.start()
		began := time.Now()
		w.untilServes()
		if took := time.Since(began); took < soloWait || took > soloWait+time.Second {
			t.Errorf("the member served after %s, want a little over %s", took, soloWait)
		}
		if !w.status().Unrouted {
			t.Error("the member does not say that nobody is sent to it")
		}
		w.reg.Down(false)
		w.routes.fail(nil)
		w.until("the endpoint is published", func() bool { return w.routes.show("db-rw") == "10.0.0.7" && !w.status().Unrouted })
		w.pass(5 * time.Minute)
		if !w.serves() || w.reg.Record().Version != 2 {
			t.Errorf("record is %v, serving: %t", w.reg.Record(), w.serves())
		}
	})
}

func TestSoloBootIsNotForAMemberWithAPendingClaim(t *testing.T) {
	inWorld(t, func(w *world) {
		w.reg.Fail(registertest.None, registertest.LostRequest, registertest.LostRequest, registertest.LostRequest)
		w.reg.Create("db-0")
		w.start()
		w.until("the claim is tried", func() bool { return w.reg.Writes() >= 2 })
		w.reg.Down(true)
		w.kill()
		w.start()
		w.pass(time.Minute)
		if w.serves() {
			t.Error("it serves")
		}
		if r := w.status().Reason; r != "WaitingForRegister" {
			t.Errorf("reason is %s", r)
		}
		w.reg.Down(false)
		w.untilServes()
	})
}

func TestAServingMemberOutlivesTheAPI(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.reg.Down(true)
		w.routes.fail(errBroken)
		w.pass(15 * time.Minute)
		if !w.serves() || w.status().Reason != "" {
			t.Errorf("serving: %t, reason %q", w.serves(), w.status().Reason)
		}
		w.procs.exit(supervise.Exit{Code: 1})
		w.until("the engine is back", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
	})
}

func TestADeposedMemberKillsItsEngine(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.reg.Set(ha.Record{Version: 7, Term: 3, Leader: "uid-x", Rule: ha.Rule{Members: []string{"uid-x"}, Acks: 1}, Profile: "fast"})
		w.untilWithin(3*time.Minute, "the engine is a standby", func() bool { return w.status().Reason == "NotAMember" && w.engine.Running() })
		w.pass(time.Minute)
		if w.engine.Gate() != engine.GateClosed || w.procs.fences == 0 || w.status().Role != "starting" {
			t.Errorf("gate %s, %d fences, role %s", w.engine.Gate(), w.procs.fences, w.status().Role)
		}
	})
}

func TestARegisterMadeAnew(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.reg.Delete()
		w.pass(5 * time.Minute)
		if !w.serves() {
			t.Fatal("a serving member did not outlive its register")
		}
		w.reg.Create("")
		w.until("the register is repaired", func() bool { return w.reg.Record() != nil })
		if r := w.reg.Record(); r.Term != 1 || r.Version != 3 || !w.serves() || len(w.engine.Sessions()) != 1 {
			t.Errorf("record is %v, serving: %t, sessions %v", r, w.serves(), w.engine.Sessions())
		}
	})
}

func TestAnAdoptedVolumeLeadsAgainInANewTerm(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		uid := w.status().UID
		w.end()
		w.reg.Delete()
		w.engine.Calls()
		w.reg.Create("") // made anew, without the mark: the claim is bound
		w.write(w.layout.App, map[string]string{"password": "another"})
		w.spec.DatabaseUID = "of another object"
		w.mount()
		w.start()
		w.untilServes()
		if r := w.reg.Record(); r.Term != 2 || r.Version != 3 || r.Leader != uid {
			t.Errorf("record is %v", r)
		}
		if calls := strings.Join(w.engine.Calls(), " "); strings.Contains(calls, "Initialise") {
			t.Errorf("calls are %s", calls)
		}
	})
}

func TestAVolumeThatIsNotOurs(t *testing.T) {
	for name, c := range map[string]struct {
		change func(w *world)
		reason string
	}{
		"data of another engine":          {func(w *world) { w.state(func(s *state.State) { s.Engine = "other" }) }, "WrongEngine"},
		"data of another Database":        {func(w *world) { w.spec.Name = "db2"; w.mountSpec() }, "WrongDatabase"},
		"data that are gone":              {func(w *world) { w.engine.SetInitialised(false) }, "DataMissing"},
		"data under a job that never end": {func(w *world) { w.state(func(s *state.State) { s.Job = "clone" }) }, "UnfinishedJob"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.serve()
				w.end()
				w.engine.Calls()
				c.change(w)
				w.start()
				w.until("it is refused", func() bool { return w.status().Reason == c.reason })
				w.pass(time.Minute)
				if calls := w.engine.Calls(); calls != nil || w.status().Message == "" {
					t.Errorf("calls are %v, message %q", calls, w.status().Message)
				}
			})
		})
	}
	t.Run("data that no member made", func(t *testing.T) {
		inWorld(t, func(w *world) {
			w.engine.SetInitialised(true)
			w.reg.Create("db-0")
			w.start()
			w.until("it is refused", func() bool { return w.status().Reason == "UnknownData" })
		})
	})
}

func TestAnEmptyVolumeNeverLeadsByItself(t *testing.T) {
	inWorld(t, func(w *world) {
		w.reg.Create("db-1")
		w.start()
		w.pass(time.Minute)
		if calls := w.engine.Calls(); calls != nil || w.status().Reason != "NotBootstrapped" || w.reg.Record() != nil {
			t.Errorf("calls %v, reason %s, record %v", calls, w.status().Reason, w.reg.Record())
		}
	})
}

func TestAMemberOutsideTheRuleWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		w.reg.Create("")
		w.reg.Set(ha.Record{Version: 7, Term: 3, Leader: "uid-x", Rule: ha.Rule{Members: []string{"uid-x"}, Acks: 1}, Profile: "fast"})
		for range 2 {
			w.start()
			w.until("it says why", func() bool { return w.status().Reason == "NotAMember" })
			w.end()
		}
		if calls := w.engine.Calls(); calls != nil {
			t.Errorf("calls are %v", calls)
		}
	})
}

func TestEndpointsOfANewerLeaderMakeItLook(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.procs.exit(supervise.Exit{Code: 1})
		w.until("it serves again", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
		w.routes.fail(register.ErrOutdated)
		w.reg.Set(ha.Record{Version: 7, Term: 3, Leader: "uid-x", Rule: ha.Rule{Members: []string{"uid-x"}, Acks: 1}, Profile: "fast"})
		w.untilWithin(3*time.Minute, "it gives up", func() bool { return w.status().Reason == "NotAMember" })
	})
}

func TestEngineCrash(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		began := time.Now()
		w.procs.exit(supervise.Exit{Code: -1, Signal: syscall.SIGSEGV})
		w.until("a new session", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
		if took := time.Since(began); took > time.Second {
			t.Errorf("a first crash was followed by %s of waiting", took)
		}
		if w.procs.fences == 0 {
			t.Error("nobody looked for what the dead engine left behind")
		}
	})
}

// A process that waits for a dead disk does not die when it is killed.
func TestAnEngineThatCannotBeProvenDeadServesNobody(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.procs.immortal(true)
		w.procs.exit(supervise.Exit{Code: 1})
		w.until("it is told", func() bool { return w.status().Reason == "EngineCrashed" })
		w.pass(time.Minute)
		if s := w.status(); s.Ready || s.EngineStarts != 1 {
			t.Errorf("status is %+v", s)
		}
		w.procs.immortal(false)
		w.untilServes()
	})
}

// Logins that are answered while a job hangs count as well.
func TestAHangingJobIsNoHangingEngine(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.engine.Hang("EnsureAccounts")
		w.write(w.layout.App, map[string]string{"password": "another"})
		w.untilWithin(2*time.Minute, "the job is given up", func() bool { return w.status().Reason == "AccountsFailed" })
		w.pass(5 * time.Minute)
		if n := w.status().EngineStarts; n != 1 {
			t.Errorf("%d starts of an engine that answers", n)
		}
		w.engine.Release("EnsureAccounts")
		w.until("the password is set", func() bool { return w.engine.Accounts().App.Password == "another" })
	})
}

func TestEngineCrashLoop(t *testing.T) {
	inWorld(t, func(w *world) {
		w.reg.Create("db-0")
		w.procs.slow = true
		w.start()
		w.until("a first start", func() bool { return w.status().EngineStarts == 1 })
		began := time.Now()
		for n := 1; n < 12; n++ {
			w.procs.exit(supervise.Exit{Code: 1}, "the configuration is wrong")
			w.untilWithin(11*time.Second, "another start", func() bool { return w.status().EngineStarts == n+1 })
			if s := w.status(); s.Reason != "EngineCrashed" || !strings.Contains(s.Message, "the configuration is wrong") {
				t.Fatalf("crash %d: the agent says %s: %s", n, s.Reason, s.Message)
			}
		}
		if took := time.Since(began); took < 30*time.Second || took > 2*time.Minute {
			t.Errorf("twelve starts took %s", took)
		}
		w.engine.Up()
		w.untilServes()
		if r := w.status().Reason; r != "" {
			t.Errorf("reason is %s", r)
		}
	})
}

func TestAnEngineThatAsksForARestartGetsIt(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		for n := range 5 {
			began := time.Now()
			w.procs.exit(supervise.Exit{Code: 16})
			w.until("a new session", func() bool { return len(w.engine.Sessions()) == n+2 && w.serves() })
			if took := time.Since(began); took > time.Second {
				t.Errorf("restart %d took %s", n, took)
			}
		}
	})
}

func TestASlowStartIsNeverCutShort(t *testing.T) {
	inWorld(t, func(w *world) {
		w.procs.slow = true
		w.reg.Create("db-0")
		w.start()
		w.pass(15 * time.Minute)
		if s := w.status(); s.EngineStarts != 1 || s.Reason != "EngineStarting" {
			t.Errorf("%d starts, reason %s", s.EngineStarts, s.Reason)
		}
		w.engine.Up()
		w.untilServes()
	})
}

func TestAHangingEngineIsStartedAnew(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.engine.Hang("Probe")
		w.pass(50 * time.Second)
		if w.status().EngineStarts != 1 {
			t.Error("it was started anew within fifty seconds")
		}
		w.untilWithin(20*time.Second, "a second start", func() bool { return w.status().EngineStarts == 2 })
		w.engine.Release("Probe")
		w.untilServes()
	})
}

func TestAFullEngineIsNoHangingEngine(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.engine.Fail("Probe", slices.Repeat([]error{engine.ErrFull}, 100)...)
		w.pass(5 * time.Minute)
		if n := w.status().EngineStarts; n != 1 {
			t.Errorf("%d starts", n)
		}
	})
}

func TestOpeningThatFailsIsTriedAgainAndThenWithANewEngine(t *testing.T) {
	for _, verb := range []string{"Promote", "Barrier", "SetGate open"} {
		t.Run(verb, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.engine.Fail(verb, errBroken, errBroken, errBroken, errBroken)
				w.reg.Create("db-0")
				w.start()
				w.until("the problem is told", func() bool { return strings.HasSuffix(w.status().Reason, "Failed") })
				w.untilServes()
				if w.status().EngineStarts != 2 {
					t.Errorf("%d starts, want 2", w.status().EngineStarts)
				}
			})
		})
	}
}

func TestAChangedDocument(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.engine.Calls()
		w.engine.SetPendingRestart("shared_memory")
		w.spec.Generation, w.spec.Parameters = 2, map[string]string{"shared_memory": "1GB"}
		w.mountSpec()
		hash := w.status().ConfigHash
		w.until("it is in force", func() bool { return w.status().SpecGeneration == 2 })
		if diff := cmp.Diff([]string{"Configure"}, w.engine.Calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if s := w.status(); !cmp.Equal(s.PendingRestart, []string{"shared_memory"}) || s.ConfigHash == hash || !w.serves() {
			t.Errorf("status is %+v", s)
		}

		w.must(w.member.askRestart(w.t.Context(), 2))
		w.until("a new session", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
		if diff := cmp.Diff([]string{"SetGate closed", "Die", "Configure", "Boot", "Promote", "Barrier", "EnsureAccounts", "SetGate open"}, w.engine.Calls()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}
		if s := w.status(); s.PendingRestart != nil {
			t.Errorf("still pending: %v", s.PendingRestart)
		}
		w.must(w.member.askRestart(w.t.Context(), 2))
		w.pass(time.Minute)
		if calls := w.engine.Calls(); calls != nil {
			t.Errorf("asking again had the calls %v", calls)
		}
	})
}

func TestRefusedParameters(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		refused := fmt.Errorf("there is no such setting: %w", engine.ErrConfigRefused)
		w.engine.Fail("Configure", refused)
		w.spec.Generation, w.spec.Parameters = 2, map[string]string{"no_such": "1"}
		w.mountSpec()
		w.until("it is told", func() bool { return w.status().Reason == "ConfigurationRefused" })
		w.pass(time.Minute)
		if s := w.status(); s.SpecGeneration != 1 || !w.serves() || !strings.Contains(s.Message, "no such setting") {
			t.Errorf("status is %+v", s)
		}

		w.engine.Fail("Configure", refused)
		w.procs.exit(supervise.Exit{Code: 1})
		w.until("a new session", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
		if s := w.status(); s.Reason != "ConfigurationRefused" || s.SpecGeneration != 1 || w.engine.Config().Parameters != nil {
			t.Errorf("status is %+v, parameters %v", s, w.engine.Config().Parameters)
		}

		w.spec.Generation, w.spec.Parameters = 3, nil
		w.mountSpec()
		w.until("the correction is in force", func() bool { return w.status().SpecGeneration == 3 && w.status().Reason == "" })
	})
}

func TestAFirstStartWithRefusedParametersWaitsForOthers(t *testing.T) {
	inWorld(t, func(w *world) {
		refused := fmt.Errorf("there is no such setting: %w", engine.ErrConfigRefused)
		w.engine.Fail("Configure", refused, refused, refused)
		w.reg.Create("db-0")
		w.start()
		w.until("it is told", func() bool { return w.status().Reason == "ConfigurationRefused" })
		w.untilServes()
	})
}

func TestChangedPasswordsAndCertificates(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.engine.Calls()
		w.write(w.layout.App, map[string]string{"password": "another"})
		w.until("the password is set", func() bool { return w.engine.Accounts().App.Password == "another" })
		authority, err := pki.NewAuthority("shop/db", time.Now())
		w.must(err)
		w.mountKeys(authority)
		w.until("the certificate is used", func() bool { return strings.Contains(strings.Join(w.engine.Calls(), " "), "ReloadCertificates") })
		if !w.serves() || w.status().EngineStarts != 1 {
			t.Error("it did not go on serving")
		}
	})
}

func TestUnreadableFilesChangeNothing(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.write(w.layout.Spec, map[string]string{"spec.json": "{"})
		w.until("it is told", func() bool { return w.status().Reason == "ConfigurationUnreadable" })
		if !w.serves() {
			t.Error("it did not go on serving")
		}
		w.mountSpec()
		w.until("all is well", func() bool { return w.status().Reason == "" })
	})
}

func TestTheEndOfThePod(t *testing.T) {
	for name, c := range map[string]struct {
		prepare  func(w *world)
		min, max time.Duration
	}{
		"while serving":               {func(w *world) { w.serve() }, 0, time.Second},
		"while the API is down":       {func(w *world) { w.serve(); w.routes.fail(errBroken) }, 0, 3 * time.Second},
		"while the engine recovers":   {func(w *world) { w.procs.slow = true; w.reg.Create("db-0"); w.start(); w.pass(time.Minute) }, 0, time.Second},
		"while nothing is there":      {func(w *world) { w.start(); w.pass(time.Second) }, 0, time.Second},
		"with an engine that is deaf": {func(w *world) { w.serve(); w.procs.deaf = true }, stopLimit - time.Second, stopLimit + 2*time.Second},
		"with a gate that hangs":      {func(w *world) { w.serve(); w.engine.Hang("SetGate closed") }, 0, 8 * time.Second},
		"while a verb hangs":          {func(w *world) { w.reg.Create("db-0"); w.engine.Hang("Promote"); w.start(); w.pass(2 * time.Second) }, 0, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				c.prepare(w)
				began := time.Now()
				w.end()
				if took := time.Since(began); took < c.min || took > c.max {
					t.Errorf("it took %s, want %s to %s", took, c.min, c.max)
				}
				if w.engine.Running() {
					t.Error("the engine still runs")
				}
				if w.guardian != nil && !w.guardian.closed {
					t.Error("the guardian was left behind")
				}
			})
		})
	}
}

func TestTheGuardiansEndIsTheEngines(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		old := w.guardian
		close(old.exited)
		w.until("a new session", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
		if w.guardian == old || w.guardian.holds() != supervise.NoExpiry {
			t.Error("there is no new guardian")
		}
	})
}

func TestAFenceByTheGuardianBeginsANewSession(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.guardian.fenced <- struct{}{}
		w.until("a new session", func() bool { return len(w.engine.Sessions()) == 2 && w.serves() })
	})
}

func TestTransitionsOutliveTheAgent(t *testing.T) {
	inWorld(t, func(w *world) {
		w.serve()
		w.end()
		w.start()
		w.untilServes()
		last := int64(0)
		var reasons []string
		for _, tr := range w.status().Transitions {
			if tr.Sequence != last+1 {
				t.Errorf("sequence %d follows %d", tr.Sequence, last)
			}
			last = tr.Sequence
			reasons = append(reasons, tr.Reason)
		}
		want := []string{"Initialising", "Initialised", "EngineStarted", "Leads", "Opened", "Stopping", "EngineStopped", "EngineStarted", "Leads", "Opened"}
		if len(reasons) != len(want) {
			t.Errorf("reasons are %v, want %v", reasons, want)
		}
	})
}
