package secret

import (
	"bytes"
	"fmt"
	"testing"
)

// Logs and traces told the keys of model providers and servers to whoever read them.
func TestSecretsOfTheEnvironmentAreInNothingThatIsTold(t *testing.T) {
	r := OfEnviron([]string{
		"ANTHROPIC_API_KEY=sk-ant-planted", "GITHUB_TOKEN=ghp_planted", "DB_PASSWORD=planted-db", "LONGER_TOKEN=ghp_planted_and_more",
		"HOME=/home/somebody", "PWD=/home/somebody/project", "SSH_AUTH_SOCK=/run/user/1000/ssh", "SHORT_KEY=1",
	})
	for in, want := range map[string]string{
		"401 for sk-ant-planted at /home/somebody/project": "401 for [redacted] at /home/somebody/project",
		"ghp_planted_and_more ghp_planted":                 "[redacted] [redacted]",
		"planted-db 1 /run/user/1000/ssh":                  "[redacted] 1 /run/user/1000/ssh",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
		var b bytes.Buffer
		if _, err := fmt.Fprint(r.Writer(&b), in); err != nil || b.String() != want {
			t.Errorf("%q was written as %q, %v", in, b.String(), err)
		}
	}
	in := `{"api_key":"literal","n":1,"text":"{\"Authorization\": \"Bearer literal\", \"x\": \"kept\"}","sk":"sk-ant-planted"}`
	want := `{"api_key":"[redacted]","n":1,"text":"{\"Authorization\": \"[redacted]\", \"x\": \"kept\"}","sk":"[redacted]"}`
	if got := string(r.JSON([]byte(in))); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// A key that stands in a settings file was in the log until the environment had it too.
func TestWhatIsLearnedIsKeptBackFromThenOn(t *testing.T) {
	var l Live
	var b bytes.Buffer
	w := l.Writer(&b)
	fmt.Fprint(w, "key-of-a-file, ")
	l.Learn("key-of-a-file", "short", "")
	l.Learn("key-of-a-file-too")
	fmt.Fprint(w, "key-of-a-file, key-of-a-file-too, short")
	if want := "key-of-a-file, [redacted], [redacted], short"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	if got := string(l.JSON([]byte(`{"x":"key-of-a-file"}`))); got != `{"x":"[redacted]"}` {
		t.Errorf("got %s", got)
	}
}

// A warning of what is no secret is one that people learn to overlook.
func TestNamesThatAreSecretsForCertain(t *testing.T) {
	for name, want := range map[string]bool{
		"GITHUB_TOKEN": true, "--api-key": true, "Authorization": true, "cookie": true, "GH_PAT": true, "X_AUTH": true,
		"AUTHOR": false, "KEYBOARD": false, "SESSION_NAME": false, "PATH": false, "key": false,
	} {
		if got := Certain(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
		if want && !Named(name) {
			t.Errorf("%q is a secret for certain and would not be kept back", name)
		}
	}
}

func TestNamesThatSoundLikeSecrets(t *testing.T) {
	for name, want := range map[string]bool{
		"ANTHROPIC_API_KEY": true, "authorization": true, "X-Api-Key": true, "DATABASE_DSN": true, "cookie": true, "Mysql_Pwd": true,
		"PATH": false, "PWD": false, "XDG_SESSION_ID": false, "NODE_OPTIONS": false, "": false,
	} {
		if got := Named(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
