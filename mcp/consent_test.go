package mcp

import (
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// An approval must end with any change of what acts, and only then: editors that
// bound it to the name were the way in (CVE-2025-54136).
func TestConsentEndsWithAnyChangeThatActs(t *testing.T) {
	base := func() ServerConfig {
		return ServerConfig{
			Type: "stdio", Command: "npx", Args: []string{"a", "b"}, Env: map[string]string{"K": "v"},
			EnvFrom: []string{"T"}, Cwd: "sub",
		}
	}
	want := base().ConsentHash("/ws")
	if again := base().ConsentHash("/ws/"); again != want {
		t.Error("the same entry in the same folder hashes differently")
	}
	for name, change := range map[string]func(*ServerConfig){
		"type":           func(c *ServerConfig) { c.Type = "" },
		"command":        func(c *ServerConfig) { c.Command = "npm" },
		"an argument":    func(c *ServerConfig) { c.Args[1] = "c" },
		"order":          func(c *ServerConfig) { c.Args = []string{"b", "a"} },
		"one for two":    func(c *ServerConfig) { c.Args = []string{"a b"} },
		"border":         func(c *ServerConfig) { c.Args = []string{"ab", ""} },
		"an empty one":   func(c *ServerConfig) { c.Args = []string{"a", "b", ""} },
		"a value":        func(c *ServerConfig) { c.Env["K"] = "w" },
		"a variable":     func(c *ServerConfig) { c.Env["L"] = "" },
		"env as args":    func(c *ServerConfig) { c.Env, c.Args = nil, []string{"a", "b", "K", "v"} },
		"env_from":       func(c *ServerConfig) { c.EnvFrom = []string{"T", "U"} },
		"cwd":            func(c *ServerConfig) { c.Cwd = "" },
		"cwd as url":     func(c *ServerConfig) { c.Cwd, c.URL = "", "sub" },
		"url":            func(c *ServerConfig) { c.URL = "http://h/" },
		"headers":        func(c *ServerConfig) { c.Headers = map[string]string{"X": "1"} },
		"oauth id":       func(c *ServerConfig) { c.OAuth.ClientID = "x" },
		"oauth secret":   func(c *ServerConfig) { c.OAuth.ClientSecret = "x" },
		"oauth scopes":   func(c *ServerConfig) { c.OAuth.Scopes = []string{"x"} },
		"oauth port":     func(c *ServerConfig) { c.OAuth.CallbackPort = 1 },
		"oauth grant":    func(c *ServerConfig) { c.OAuth.Grant = GrantClientCredentials },
		"oauth key":      func(c *ServerConfig) { c.OAuth.PrivateKeyFile = "x" },
		"invalid UTF-8":  func(c *ServerConfig) { c.Args[1] = "\xff" },
		"invalid UTF-8'": func(c *ServerConfig) { c.Args[1] = "\xfe" },
	} {
		c := base()
		change(&c)
		if c.ConsentHash("/ws") == want {
			t.Errorf("%s: the approval still holds", name)
		}
	}
	if base().ConsentHash("/other") == want {
		t.Error("the approval holds in another folder")
	}
	bad1, bad2 := base(), base()
	bad1.Args[1], bad2.Args[1] = "\xff", "\xfe"
	if bad1.ConsentHash("/ws") == bad2.ConsentHash("/ws") {
		t.Error("two different arguments of invalid UTF-8 hash the same")
	}

	same := base()
	same.Disabled, same.ConnectTimeoutMs, same.CallTimeoutMs = true, 1, 2
	same.Origin = Origin{Line: 9, File: "x", Approved: true}
	if same.ConsentHash("/ws") != want {
		t.Error("switching off, a time-out or another line ended the approval")
	}
	empty := base()
	empty.Headers = map[string]string{}
	if empty.ConsentHash("/ws") != want {
		t.Error("an empty object is not the same as none")
	}
}

func TestConsentShowsWhatWouldRun(t *testing.T) {
	folder := t.TempDir()
	c := ServerConfig{
		Command: "sh", Args: []string{"-c", "echo ${A}"}, Env: map[string]string{"Z": "${B}", "T": ""},
		EnvFrom: []string{"T", "S"}, Cwd: "sub", Origin: Origin{Changed: true},
	}
	want := Consent{
		Hash: c.ConsentHash(folder), Argv: []string{"sh", "-c", "echo ${A}"}, Cwd: filepath.Join(folder, "sub"),
		EnvNames: []string{"S", "T", "Z"}, Variables: []string{"A", "B", "S", "T"}, Changed: true,
	}
	if got := ConsentOf(c, folder); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}

	c = ServerConfig{URL: "https://h/${A}", Headers: map[string]string{"Authorization": "Bearer ${B}"}}
	got := ConsentOf(c, folder)
	if got.URL != c.URL || got.Argv != nil || got.Cwd != "" || !reflect.DeepEqual(got.Variables, []string{"A", "B"}) {
		t.Errorf("got %+v", got)
	}
	if got := ConsentOf(ServerConfig{Command: "a"}, folder); got.Cwd != folder {
		t.Errorf("without a cwd it runs in the folder, not %q", got.Cwd)
	}
	if got := ConsentOf(ServerConfig{Command: "a", Cwd: "${X}/y"}, folder); got.Cwd != "${X}/y" {
		t.Errorf("a cwd with a variable is shown as it stands, not as %q", got.Cwd)
	}
}

// Asked again, a person sees what is different, and no secret that a repository holds
// is spread by that (CVE-2025-54136).
func TestChangesSayWhatIsDifferent(t *testing.T) {
	before := ServerConfig{
		Command: "npx", Args: []string{"-y", "server"}, Env: map[string]string{"NODE_OPTIONS": "", "API_TOKEN": "literal-1", "GONE": "x"},
		Headers: map[string]string{"Authorization": "Bearer ${GH}"}, Disabled: true, CallTimeoutMs: 5,
	}
	after := before
	after.Args = []string{"-y", "server", "--evil"}
	after.Env = map[string]string{"NODE_OPTIONS": "--require ./evil.js", "API_TOKEN": "literal-2"}
	after.Headers = map[string]string{"Authorization": "Bearer ${OTHER}"}
	after.Disabled, after.CallTimeoutMs = false, 6
	want := []FieldChange{
		{"args", `["-y","server"]`, `["-y","server","--evil"]`},
		{"env.API_TOKEN", "[redacted]", "[redacted]"},
		{"env.GONE", "x", ""},
		{"env.NODE_OPTIONS", `""`, "--require ./evil.js"},
		{"headers.Authorization", "Bearer ${GH}", "Bearer ${OTHER}"},
	}
	if got := Changes(before, after); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Changes(before, before); len(got) > 0 {
		t.Errorf("nothing is different: %q", got)
	}
	// Whatever the hash covers is kept and compared: else a change would ask again
	// without a word why.
	if before.Acting().ConsentHash("/f") != before.ConsentHash("/f") {
		t.Error("what acts has another hash than the entry")
	}
}
