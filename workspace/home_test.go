package workspace

import (
	"path/filepath"
	"runtime"
	"testing"
)

func TestHome(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of unix")
	}
	for name, c := range map[string]struct {
		env  map[string]string
		want string // empty: an error
	}{
		"default":          {map[string]string{"HOME": "/home/u"}, "/home/u/.codebot"},
		"moved":            {map[string]string{"HOME": "/home/u", "CODEBOT_HOME": "/cfg/codebot/"}, "/cfg/codebot"},
		"moved, no home":   {map[string]string{"CODEBOT_HOME": "/cfg"}, "/cfg"},
		"relative":         {map[string]string{"HOME": "/home/u", "CODEBOT_HOME": ".codebot"}, ""},
		"no home":          {nil, ""},
		"home is relative": {map[string]string{"HOME": "."}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Home(func(k string) string { return c.env[k] })
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("Home = %q, %v; want %q", got, err, c.want)
			}
		})
	}
}

func TestSettingsPaths(t *testing.T) {
	if got, want := ProjectSettingsFile("p"), filepath.Join("p", ".codebot", "settings.json"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
