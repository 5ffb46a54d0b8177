package driver

import (
	"encoding/base64"
	"testing"
)

// pencil is the verifier of RFC 7677's example, whose password is "pencil".
const pencil = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="

func TestVerifierIsTheServers(t *testing.T) {
	salt, err := base64.StdEncoding.DecodeString("W22ZaJ0SNY7soEsUEjb6gQ==")
	if err != nil {
		t.Fatal(err)
	}
	v, err := derive("pencil", salt, 4096)
	if err != nil {
		t.Fatal(err)
	}
	if v.String() != pencil {
		t.Errorf("got %s, want %s", v, pencil)
	}
	if !verifies(pencil, "pencil") || verifies(pencil, "pencils") {
		t.Error("the verifier does not tell its password from another")
	}
}

func TestVerifiersOfOnePasswordDiffer(t *testing.T) {
	a, err := newVerifier("secret")
	if err != nil {
		t.Fatal(err)
	}
	b, err := newVerifier("secret")
	if err != nil {
		t.Fatal(err)
	}
	if a.String() == b.String() || !verifies(a.String(), "secret") || !verifies(b.String(), "secret") {
		t.Errorf("%s and %s", a, b)
	}
}

func TestVerifiesNothingElse(t *testing.T) {
	for _, kept := range []string{
		"", "md5d41d8cd98f00b204e9800998ecf8427e", "SCRAM-SHA-256$", "SCRAM-SHA-256$0:$:", "SCRAM-SHA-256$x:AA==$AA==:AA==",
		"SCRAM-SHA-256$4096:AA==$AA==:AA==", "SCRAM-SHA-256$4096:!$!:!",
	} {
		if verifies(kept, "secret") {
			t.Errorf("%q verifies", kept)
		}
	}
}

func FuzzParseVerifier(f *testing.F) {
	f.Add(pencil)
	f.Add("SCRAM-SHA-256$1:$:")
	f.Fuzz(func(t *testing.T, text string) {
		v, ok := parseVerifier(text)
		if !ok {
			return
		}
		if again, ok := parseVerifier(v.String()); !ok || again.String() != v.String() {
			t.Fatalf("%q is %s, which reads as %s", text, v, again)
		}
	})
}

func TestPrepare(t *testing.T) {
	for name, c := range map[string]struct{ password, want string }{
		"ASCII stays, control characters too": {"a b\tc", "a b\tc"},
		"a letter stays":                      {"ü", "ü"},
		"two characters become one letter":    {"u\u0308", "ü"},
		"a compatible character is replaced":  {"ﬁ①", "fi1"},
		"a strange space becomes a space":     {"a\u00a0ü", "a ü"},
		"a soft hyphen goes":                  {"a\u00adü", "aü"},
		"what is forbidden stays as it is":    {"ü\u2028\u00ad", "ü\u2028\u00ad"},
		"what is no UTF-8 stays as it is":     {"\xff\xfe", "\xff\xfe"},
		"nothing left stays as it is":         {"\u00ad", "\u00ad"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := prepare(c.password); got != c.want {
				t.Errorf("prepare(%q) = %q, want %q", c.password, got, c.want)
			}
		})
	}
}
