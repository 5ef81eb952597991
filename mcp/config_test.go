package mcp

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// fieldsOf returns the fields that err, as of Check, names, in order.
func fieldsOf(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	many, ok := errors.AsType[interface {
		error
		Unwrap() []error
	}](err)
	if !ok {
		t.Fatalf("%T is no joined error", err)
	}
	var fields []string
	for _, e := range many.Unwrap() {
		f, ok := errors.AsType[*FieldError](e)
		if !ok {
			t.Fatalf("%T (%v) names no field", e, e)
		}
		if !strings.HasPrefix(f.Error(), f.Field+": ") || f.Problem == "" {
			t.Errorf("%q does not say what is wrong with %s", f.Error(), f.Field)
		}
		fields = append(fields, f.Field)
	}
	return fields
}

// An entry that another program would have understood, or that lost a field, must
// be named and not silently ignored (anthropics/claude-code#6204, #37245,
// ravitemer/mcphub.nvim#149).
func TestCheckNamesTheFieldThatIsWrong(t *testing.T) {
	for name, tc := range map[string]struct {
		entry ServerConfig
		want  []string
	}{
		"a program":                   {ServerConfig{Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"A": "1"}, EnvFrom: []string{"B"}, Cwd: "sub"}, nil},
		"an address without a type":   {ServerConfig{URL: "https://example.test/mcp", Headers: map[string]string{"Authorization": "Bearer ${T}"}}, nil},
		"an address with a variable":  {ServerConfig{URL: "${BASE}/mcp"}, nil},
		"sse":                         {ServerConfig{Type: "sse", URL: "http://127.0.0.1:1/sse"}, nil},
		"in this process":             {ServerConfig{Type: "inprocess", Command: "docs"}, nil},
		"a path with spaces":          {ServerConfig{Command: "/opt/My App/run"}, nil},
		"a Windows path with spaces":  {ServerConfig{Command: `C:\Program Files\x.exe`}, nil},
		"nothing":                     {ServerConfig{}, []string{"command"}},
		"both":                        {ServerConfig{Command: "a", URL: "http://h/"}, []string{"command"}},
		"both, typed stdio":           {ServerConfig{Type: "stdio", Command: "a", URL: "http://h/"}, []string{"command"}},
		"both, typed http":            {ServerConfig{Type: "http", Command: "a", URL: "http://h/"}, []string{"url"}},
		"stdio with only an address":  {ServerConfig{Type: "stdio", URL: "http://h/"}, []string{"command", "url"}},
		"stdio with headers":          {ServerConfig{Command: "a", Headers: map[string]string{"X": "1"}}, []string{"headers"}},
		"http without an address":     {ServerConfig{Type: "http"}, []string{"url"}},
		"http with a child's fields":  {ServerConfig{URL: "http://h/", Args: []string{"a"}, Env: map[string]string{"A": ""}, EnvFrom: []string{"B"}, Cwd: "c"}, []string{"args", "env", "env_from", "cwd"}},
		"a type of another program":   {ServerConfig{Type: "streamableHttp", URL: "http://h/"}, []string{"type"}},
		"a type in capitals":          {ServerConfig{Type: "STDIO", Command: "a"}, []string{"type"}},
		"no scheme":                   {ServerConfig{URL: "example.test/mcp"}, []string{"url"}},
		"another scheme":              {ServerConfig{URL: "file:///etc/passwd"}, []string{"url"}},
		"arguments in the command":    {ServerConfig{Command: "npx -y @scope/server"}, []string{"command"}},
		"only white space":            {ServerConfig{Command: " "}, []string{"command"}},
		"home by tilde":               {ServerConfig{Command: "~/bin/x", Cwd: "~"}, []string{"command", "cwd"}},
		"negative times":              {ServerConfig{Command: "a", ConnectTimeoutMs: -1, CallTimeoutMs: -1}, []string{"connect_timeout_ms", "call_timeout_ms"}},
		"NUL":                         {ServerConfig{Command: "a", Args: []string{"b", "c\x00"}}, []string{"args[1]"}},
		"a name with a value in it":   {ServerConfig{Command: "a", Env: map[string]string{"A=B": "1"}, EnvFrom: []string{"OK", ""}}, []string{"env.A=B", "env_from[1]"}},
		"a header name with a space":  {ServerConfig{URL: "http://h/", Headers: map[string]string{"X Y": "1"}}, []string{"headers.X Y"}},
		"a header that starts others": {ServerConfig{URL: "http://h/", Headers: map[string]string{"X": "1\r\nY: 2"}}, []string{"headers.X"}},
		"started when needed":         {ServerConfig{Command: "a", Autostart: AutostartOnDemand}, nil},
		"started some other time":     {ServerConfig{Command: "a", Autostart: "lazy"}, []string{"autostart"}},
		"a registered client":         {ServerConfig{URL: "http://h/", OAuth: OAuth{ClientID: "x", ClientSecret: "${S}", CallbackPort: 8765, Scopes: []string{"a:b"}}}, nil},
		"a machine with a secret":     {ServerConfig{URL: "http://h/", OAuth: OAuth{Grant: GrantClientCredentials, ClientID: "x", ClientSecret: "s"}}, nil},
		"a machine with a key":        {ServerConfig{URL: "http://h/", OAuth: OAuth{Grant: GrantClientCredentials, ClientID: "x", PrivateKeyFile: "k"}}, nil},
		"a machine with both":         {ServerConfig{URL: "http://h/", OAuth: OAuth{Grant: GrantClientCredentials, ClientID: "x", ClientSecret: "s", PrivateKeyFile: "k"}}, []string{"oauth"}},
		"a machine with a browser":    {ServerConfig{URL: "http://h/", OAuth: OAuth{Grant: GrantClientCredentials, CallbackPort: 1}}, []string{"oauth.client_id", "oauth.callback_port"}},
		"a key with a browser":        {ServerConfig{URL: "http://h/", OAuth: OAuth{PrivateKeyFile: "k"}}, []string{"oauth.private_key_file"}},
		"a secret of nobody":          {ServerConfig{URL: "http://h/", OAuth: OAuth{ClientSecret: "s"}}, []string{"oauth.client_secret"}},
		"another grant":               {ServerConfig{URL: "http://h/", OAuth: OAuth{Grant: "password"}}, []string{"oauth.grant"}},
		"no port":                     {ServerConfig{URL: "http://h/", OAuth: OAuth{CallbackPort: 70000}}, []string{"oauth.callback_port"}},
		"a scope with a space":        {ServerConfig{URL: "http://h/", OAuth: OAuth{Scopes: []string{"a", "b c"}}}, []string{"oauth.scopes"}},
		"a program with a login":      {ServerConfig{Command: "a", OAuth: OAuth{ClientID: "x"}}, []string{"oauth"}},
		"a login and a token":         {ServerConfig{URL: "http://h/", Headers: map[string]string{"authorization": "Bearer x"}, OAuth: OAuth{ClientID: "x"}}, []string{"oauth"}},
		"a header twice":              {ServerConfig{URL: "http://h/", Headers: map[string]string{"X-Key": "1", "x-key": "2"}}, []string{"headers.x-key"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fieldsOf(t, tc.entry.Check()); !slices.Equal(got, tc.want) {
				t.Errorf("Check() names %q, want %q (%v)", got, tc.want, tc.entry.Check())
			}
		})
	}
}

func TestTransportFollowsTheFieldsThatAreSet(t *testing.T) {
	for want, entry := range map[string]ServerConfig{
		TransportStdio:     {Command: "a"},
		TransportHTTP:      {URL: "http://h/"},
		TransportSSE:       {Type: "sse", URL: "http://h/"},
		TransportInProcess: {Type: "inprocess", Command: "docs"},
	} {
		if got := entry.Transport(); got != want {
			t.Errorf("%+v is %q, want %q", entry, got, want)
		}
	}
	if got := (ServerConfig{}).Transport(); got != TransportStdio {
		t.Errorf("an empty entry is %q, want stdio", got)
	}
}

func TestTimeoutsHaveDefaultsAndDoNotOverflow(t *testing.T) {
	if got := (ServerConfig{}).ConnectTimeout(); got != 30*time.Second {
		t.Errorf("connect time-out by default is %v", got)
	}
	if got := (ServerConfig{}).CallTimeout(); got != 0 {
		t.Errorf("call time-out by default is %v, want none", got)
	}
	c := ServerConfig{ConnectTimeoutMs: 1500, CallTimeoutMs: 60000}
	if c.ConnectTimeout() != 1500*time.Millisecond || c.CallTimeout() != time.Minute {
		t.Errorf("got %v and %v", c.ConnectTimeout(), c.CallTimeout())
	}
	huge := ServerConfig{ConnectTimeoutMs: math.MaxInt, CallTimeoutMs: math.MaxInt}
	if huge.ConnectTimeout() <= 0 || huge.CallTimeout() <= 0 {
		t.Errorf("huge numbers became %v and %v", huge.ConnectTimeout(), huge.CallTimeout())
	}
}

func TestServerNamesArePlain(t *testing.T) {
	for _, good := range []string{"docs", "my server", "文档", "a__b", "a.b/c"} {
		if err := CheckName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"", " ", "a\nb", "a\x00b", "a\u202eb", "a\x1b[8m"} {
		if CheckName(bad) == nil {
			t.Errorf("%q passed", bad)
		}
	}
}
