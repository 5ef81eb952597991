package mcp

import (
	"slices"
	"testing"
)

// A child used to inherit everything, the keys of model providers included.
func TestChildEnvPassesOnlyWhatIsListedOrNamed(t *testing.T) {
	environ := []string{
		"PATH=/bin", "HOME=/home/u", "LC_ALL=C", "LC_TIME=C", "XDG_CACHE_HOME=/c", "https_proxy=p", "HTTPS_PROXY=P",
		"npm_config_registry=r", "UV_INDEX=u", "NODE_EXTRA_CA_CERTS=n", "PATHEXTRA=no", "MY_PATH=no",
		"ANTHROPIC_API_KEY=k1", "OPENAI_API_KEY=k2", "GEMINI_API_KEY=k3", "AWS_SECRET_ACCESS_KEY=k4",
		"GITHUB_TOKEN=t", "NAMED=yes", "OVER=ours", "EMPTY=", "TZ=", "bogus",
	}
	cfg := ServerConfig{
		EnvFrom: []string{"NAMED", "NOT_SET"},
		Env:     map[string]string{"OVER": "theirs", "HOME": "/other", "NEW": "1"},
	}
	env, withheld := ChildEnv(environ, cfg, "linux")
	wantEnv := []string{
		"HOME=/other", "HTTPS_PROXY=P", "LC_ALL=C", "LC_TIME=C", "NAMED=yes", "NEW=1", "NODE_EXTRA_CA_CERTS=n",
		"OVER=theirs", "PATH=/bin", "TZ=", "UV_INDEX=u", "XDG_CACHE_HOME=/c", "https_proxy=p", "npm_config_registry=r",
	}
	if !slices.Equal(env, wantEnv) {
		t.Errorf("env\n got %q\nwant %q", env, wantEnv)
	}
	wantWithheld := []string{
		"ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "EMPTY", "GEMINI_API_KEY", "GITHUB_TOKEN", "MY_PATH",
		"OPENAI_API_KEY", "PATHEXTRA",
	}
	if !slices.Equal(withheld, wantWithheld) {
		t.Errorf("withheld\n got %q\nwant %q", withheld, wantWithheld)
	}

	slices.Reverse(environ)
	again, _ := ChildEnv(environ, cfg, "linux")
	if !slices.Equal(again, env) {
		t.Errorf("another order of our environment gives %q", again)
	}
}

func TestChildEnvGivesModelKeysOnlyWhenNamed(t *testing.T) {
	environ := []string{"ANTHROPIC_API_KEY=k1", "OPENAI_API_KEY=k2"}
	env, withheld := ChildEnv(environ, ServerConfig{EnvFrom: []string{"OPENAI_API_KEY"}}, "linux")
	if !slices.Equal(env, []string{"OPENAI_API_KEY=k2"}) || !slices.Equal(withheld, []string{"ANTHROPIC_API_KEY"}) {
		t.Errorf("env %q, withheld %q", env, withheld)
	}
}

// On Windows "Path" and "PATH" are one variable, and an entry's own value must not
// end up beside ours.
func TestChildEnvOnWindowsIgnoresCase(t *testing.T) {
	environ := []string{`=C:=C:\x`, "Path=ours", "SYSTEMROOT=s", "ProgramFiles(x86)=p", "PROGRAMFILES=q", "Secret=1", "TEMP=t"}
	env, withheld := ChildEnv(environ, ServerConfig{Env: map[string]string{"PATH": "theirs"}}, "windows")
	want := []string{"PATH=theirs", "PROGRAMFILES=q", "ProgramFiles(x86)=p", "SYSTEMROOT=s", "TEMP=t"}
	if !slices.Equal(env, want) || !slices.Equal(withheld, []string{"Secret"}) {
		t.Errorf("env %q, withheld %q", env, withheld)
	}
	if env, _ := ChildEnv(environ, ServerConfig{}, "linux"); len(env) != 0 {
		t.Errorf("elsewhere the names of Windows mean nothing, got %q", env)
	}
}
