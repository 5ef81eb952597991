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
